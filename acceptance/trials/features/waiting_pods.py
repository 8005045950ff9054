"""A pod that must wait for what another pod has: the scheduler keeps it pending, and reports why."""

from __future__ import annotations

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pod_states import describe_pod, main_started, not_scheduled
from acceptance.cluster.pods import require_pod, start_problem
from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError, StorageFailure
from acceptance.trials.features.bench import Bench


def wait_kept(bench: Bench, plan: PodPlan, goal: str, *, words: tuple[str, ...], failure: str) -> str:
    """Wait until the scheduler keeps the pod pending with one of `words` in its message; return that message.

    `goal`: the awaited state in words; `failure`: the error if the pod starts. Raises StorageFailure if it
    starts, and at the deadline; raises what `wait_started` raises.
    """

    def ends(pod: Object) -> AcceptanceError | None:
        return StorageFailure(failure) if main_started(pod) else start_problem(bench.api, plan, pod)

    pod = wait_for(
        goal,
        look=lambda: require_pod(bench.api, plan),
        ready=lambda pod: not main_started(pod) and any(word in not_scheduled(pod) for word in words),
        state=describe_pod,
        fatal=ends,
        timeout_s=bench.timeout_s,
    )
    return not_scheduled(pod)
