"""A pod that does one thing on its volumes and ends: created, waited for, read, deleted."""

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
    """A pod that had not started in time."""


@dataclass(frozen=True, kw_only=True)
class OneShotPod:
    """The result of a pod.

    `status`: the exit status of its command; `content`: all that it printed; `node`: its node; `state`: its state at
    the end, in words; `start_s`: from the request until it was observed to have started, None if that was not observed.
    """

    node: str
    status: int
    content: bytes
    state: str
    start_s: float | None = None

    @property
    def output(self) -> str:
        """Return all that the pod printed, as text."""
        return self.content.decode(errors="replace")


def run_one_shot_pod(workspace: Workspace, plan: PodPlan, *, timeout_s: float) -> OneShotPod:
    """Run the pod to its end, for `timeout_s` at most once it has started; delete it afterwards.

    Raises NotStarted, Unsupported if its class has no such volumes, StorageFailure if it does not end or cannot be
    deleted, EnvironmentFailure if the cluster ended it.
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
        result = ended_pod(
            workspace, plan, timeout_s=timeout_s, keep=lambda output: workspace.keep_output(plan.name, [output])
        )
        return replace(result, start_s=start_s)


def ended_pod(
    workspace: Workspace, plan: PodPlan, *, timeout_s: float, keep: Callable[[str], None] = lambda output: None
) -> OneShotPod:
    """Wait until a created pod has ended, without deleting it. `keep` is called with its output in any case.

    Raises StorageFailure if it does not end, EnvironmentFailure if the cluster ended it.
    """
    pod = wait_ended(workspace.api, plan, timeout_s=timeout_s)
    pieces = workspace.api.follow_log(plan.name, namespace=plan.namespace, container=MAIN, follow=False)
    content = b"".join(pieces)
    keep(content.decode(errors="replace"))
    if (error := taken_away(pod, subject=f"pod {plan.name}")) is not None:
        raise error
    if (status := exit_status_of(pod)) is None:
        raise EnvironmentFailure(f"the exit status of pod {plan.name} is unknown: {describe_pod(pod)}")
    return OneShotPod(node=node_of(pod), status=status, content=content, state=describe_pod(pod))
