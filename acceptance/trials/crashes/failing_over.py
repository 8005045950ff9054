"""The move of a pod and its volume from a node that failed or was drained to another node, phase by phase."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from acceptance.cluster.attachments import find_attachment
from acceptance.cluster.events import recent_events
from acceptance.cluster.pod_manifest import MAIN, PodPlan
from acceptance.cluster.pod_states import describe_pod, main_ended, main_started
from acceptance.cluster.pods import create_pod, start_problem
from acceptance.cluster.resources import PODS, Object
from acceptance.cluster.waiting import wait_for
from acceptance.cluster.workspace import Workspace
from acceptance.results.crashes import Phase
from acceptance.trials.crashes.reading import WRITTEN_LINE

BACK = "its kubelet back"
NODE_LOST, POD_END, POD_OFF = "node seen to be lost", "pod ended", "pod taken off it"
SCHEDULING, DETACHMENT = "new pod given a node", "volume detached from the node that it left"
RUNNING, WRITES = "new pod runs with the volume", "first durable write"


@dataclass(kw_only=True)
class Stopwatch:
    """The moments at which phases were first seen, in s of `clock`. A phase that was never seen is missing."""

    began_s: float
    clock: Callable[[], float] = time.monotonic
    seen_s: dict[str, float] = field(default_factory=dict)

    def note(self, name: str) -> None:
        """Note that the phase is seen now, for the first time or again."""
        self.seen_s.setdefault(name, self.clock())

    def phases(self) -> list[Phase]:
        """Return the phases in the order in which they were seen, each with the time since the phase before it."""
        phases, before_s = [], self.began_s
        for name, at_s in sorted(self.seen_s.items(), key=lambda item: item[1]):
            phases.append(Phase(name=name, seconds=max(at_s - before_s, 0.0)))
            before_s = max(at_s, before_s)
        return phases


def follow_failover(
    workspace: Workspace, plan: PodPlan, *, attachments: Sequence[str], watch: Stopwatch, timeout_s: float
) -> None:
    """Request the pod that takes over, and note each phase until it has written to the volume.

    `attachments`: those of the volume to the node that it leaves. Raises StorageFailure, with the pod's state and
    events, if the pod has not written after `timeout_s`.
    """
    create_pod(workspace.api, plan, timeout_s=workspace.timeout_s)

    def look() -> tuple[Object, bool]:
        pod = workspace.api.get(PODS, plan.name, namespace=plan.namespace)
        if pod["spec"].get("nodeName"):
            watch.note(SCHEDULING)
        if attachments and not any(find_attachment(workspace.api, attachment) for attachment in attachments):
            watch.note(DETACHMENT)
        if not main_started(pod):
            return pod, False
        watch.note(RUNNING)
        log = workspace.api.log(plan.name, namespace=plan.namespace, container=MAIN)
        if has_written := log.startswith(WRITTEN_LINE.decode()):
            watch.note(WRITES)
        return pod, has_written or main_ended(pod)

    wait_for(
        f"pod {plan.name} on StorageClass {plan.classes} to use the volume of the node that it left",
        look=look,
        ready=lambda observation: observation[1],
        state=lambda observation: describe_pod(observation[0]),
        fatal=lambda observation: start_problem(workspace.api, plan, observation[0]),
        events=lambda: recent_events(workspace.api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
    )
