"""One pod that does one thing on its volumes and ends: begun, waited for, read, gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from acceptance.cluster.pod_manifest import MAIN, PodPlan
from acceptance.cluster.pod_states import describe_pod, exit_status_of, node_of, taken_away
from acceptance.cluster.pods import create_pod, end_pod, wait_ended, wait_started
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.text.errors import EnvironmentFailure, StorageFailure, Unsupported


class NotStarted(StorageFailure):
    """The pod had not started in time."""


@dataclass(frozen=True, kw_only=True)
class OneShotPod:
    """How it went. `status`: the exit status of its command; `content`: all that it printed; `node`: where it ran;
    `state`: its state at the end, in words; `start_s`: from the request for it until it was seen to have started, None
    where nobody looked."""

    node: str
    status: int
    content: bytes
    state: str
    start_s: float | None = None

    @property
    def output(self) -> str:
        """All that it printed, as text."""
        return self.content.decode(errors="replace")


def run_one_shot_pod(workspace: Workspace, plan: PodPlan, *, timeout_s: float) -> OneShotPod:
    """Run the pod to its end, for `timeout_s` at most once it has started; it is gone afterwards.

    Raises NotStarted, Unsupported where its class has no such volumes, StorageFailure when it does not end or does not
    go, EnvironmentFailure when the cluster ended it.
    """
    api = workspace.api
    with Undoing() as undoing:
        undoing.callback(lambda: end_pod(api, plan, timeout_s=workspace.timeout_s))
        began_s = time.monotonic()
        create_pod(api, plan, timeout_s=workspace.timeout_s)
        try:
            wait_started(api, plan, timeout_s=workspace.timeout_s)
        except Unsupported:
            raise
        except StorageFailure as error:
            raise NotStarted(str(error)) from error
        start_s = time.monotonic() - began_s
        ended = ended_pod(
            workspace, plan, timeout_s=timeout_s, keep=lambda output: workspace.keep_output(plan.name, [output])
        )
        return replace(ended, start_s=start_s)


def ended_pod(
    workspace: Workspace, plan: PodPlan, *, timeout_s: float, keep: Callable[[str], None] = lambda output: None
) -> OneShotPod:
    """Wait until a pod that was asked for has ended; it is there still. `keep` is given what it printed in any case.

    Raises StorageFailure when it does not end, EnvironmentFailure when the cluster ended it.
    """
    pod = wait_ended(workspace.api, plan, timeout_s=timeout_s)
    pieces = workspace.api.follow_log(plan.name, namespace=plan.namespace, container=MAIN, follow=False)
    content = b"".join(pieces)
    keep(content.decode(errors="replace"))
    if (taken := taken_away(pod, what=f"pod {plan.name}")) is not None:
        raise taken
    if (status := exit_status_of(pod)) is None:
        raise EnvironmentFailure(f"the exit status of pod {plan.name} is not known: {describe_pod(pod)}")
    return OneShotPod(node=node_of(pod), status=status, content=content, state=describe_pod(pod))
