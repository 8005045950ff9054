"""A pod that must wait for what another one has: the scheduler keeps it, and says why."""

from __future__ import annotations

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pod_states import describe_pod, main_started, not_scheduled
from acceptance.cluster.pods import needed, start_problem
from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError, StorageFailure
from acceptance.trials.features.bench import Bench


def wait_kept(bench: Bench, plan: PodPlan, what: str, *, words: tuple[str, ...], started: str) -> str:
    """Wait until the scheduler keeps the pod with one of these words of its own; all that it says.

    `what` is to happen, in words; `started` says what it means that the pod starts. Raises StorageFailure where it
    starts, and at the deadline; what `wait_started` raises.
    """

    def ends(pod: Object) -> AcceptanceError | None:
        return StorageFailure(started) if main_started(pod) else start_problem(bench.api, plan, pod)

    found = wait_for(
        what,
        look=lambda: needed(bench.api, plan),
        ready=lambda seen: not main_started(seen) and any(word in not_scheduled(seen) for word in words),
        state=describe_pod,
        fatal=ends,
        timeout_s=bench.timeout_s,
    )
    return not_scheduled(found)
