"""One pod that does one thing on its volumes and ends: begun, waited for, read, gone."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.cluster.pod_manifest import MAIN, PodPlan
from acceptance.cluster.pod_states import describe_pod, exit_status_of, node_of, taken_away
from acceptance.cluster.pods import create_pod, end_pod, wait_ended, wait_started
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.text.errors import EnvironmentFailure


@dataclass(frozen=True, kw_only=True)
class OneShotPod:
    """How it went. `status`: the exit status of its command; `output`: all that it printed; `node`: where it ran."""

    node: str
    status: int
    output: str


def run_one_shot_pod(workspace: Workspace, plan: PodPlan, *, timeout_s: float) -> OneShotPod:
    """Run the pod to its end, for `timeout_s` at most once it has started; it is gone afterwards.

    Raises StorageFailure when it does not start, does not end or does not go, EnvironmentFailure when the cluster
    ended it.
    """
    api = workspace.api
    with Undoing() as undoing:
        undoing.callback(lambda: end_pod(api, plan, timeout_s=workspace.timeout_s))
        create_pod(api, plan, timeout_s=workspace.timeout_s)
        wait_started(api, plan, timeout_s=workspace.timeout_s)
        pod = wait_ended(api, plan, timeout_s=timeout_s)
        output = api.log(plan.name, namespace=plan.namespace, container=MAIN)
        workspace.keep_output(plan.name, [output])
        if (taken := taken_away(pod, what=f"pod {plan.name}")) is not None:
            raise taken
        if (status := exit_status_of(pod)) is None:
            raise EnvironmentFailure(f"the exit status of pod {plan.name} is not known: {describe_pod(pod)}")
        return OneShotPod(node=node_of(pod), status=status, output=output)
