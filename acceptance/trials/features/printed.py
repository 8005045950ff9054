"""Words that a pod prints while it runs: each of them proves that something is done."""

from __future__ import annotations

import time

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pod_states import describe_pod, main_ended
from acceptance.cluster.pods import require_pod, start_problem
from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import wait_for
from acceptance.measuring.pod_load import LATE_S
from acceptance.text.errors import AcceptanceError, StorageFailure
from acceptance.trials.features.bench import Bench


def wait_printed(bench: Bench, plan: PodPlan, word: str, *, goal: str, timeout_s: float | None = None) -> None:
    """Wait until a started pod has printed the word; that it runs proves nothing about what it has done.

    `goal`: what the pod must do, in words; `timeout_s`: None: that of the bench. Raises StorageFailure at the
    deadline, or if the pod ended without that word; raises what `require_pod` and `start_problem` raise before that.
    """
    ended_at: float | None = None

    def seen_now() -> tuple[str, Object]:
        pod = require_pod(bench.api, plan)
        return bench.output_of(plan), pod

    def problem(state: tuple[str, Object]) -> AcceptanceError | None:
        nonlocal ended_at
        output, pod = state
        if (error := start_problem(bench.api, plan, pod)) is not None or not main_ended(pod):
            return error
        ended_at = time.monotonic() if ended_at is None else ended_at
        if time.monotonic() - ended_at < LATE_S:
            return None
        where = f"pod {plan.name} on StorageClass {plan.classes} ended before that ({describe_pod(pod)})"
        return StorageFailure(f"waited for {goal}; {where}: {_words(output)}")

    wait_for(
        goal,
        look=seen_now,
        ready=lambda state: word in state[0].split(),
        state=lambda state: _words(state[0]),
        fatal=problem,
        timeout_s=timeout_s or bench.timeout_s,
    )


def _words(output: str) -> str:
    return output.strip() or "nothing printed"
