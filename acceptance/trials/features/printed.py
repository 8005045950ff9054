"""What a pod of a bench prints while it runs: a word of it tells that something is done."""

from __future__ import annotations

import time

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pod_states import describe_pod, main_ended
from acceptance.cluster.pods import needed, start_problem
from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import wait_for
from acceptance.measuring.pod_load import LATE_S
from acceptance.text.errors import AcceptanceError, StorageFailure
from acceptance.trials.features.bench import Bench


def wait_printed(bench: Bench, plan: PodPlan, word: str, *, what: str, timeout_s: float | None = None) -> None:
    """Wait until a pod that was started has printed the word: that it runs tells nothing of what it has done.

    `what` it is to do, in words; `timeout_s`: else the bench's. Raises StorageFailure at the deadline, and where the
    pod ended without that word; what `needed` and `start_problem` tell of before.
    """
    ended_at: float | None = None

    def seen_now() -> tuple[str, Object]:
        pod = needed(bench.api, plan)
        return bench.output_of(plan), pod

    def problem(seen: tuple[str, Object]) -> AcceptanceError | None:
        nonlocal ended_at
        output, pod = seen
        if (error := start_problem(bench.api, plan, pod)) is not None or not main_ended(pod):
            return error
        ended_at = time.monotonic() if ended_at is None else ended_at
        if time.monotonic() - ended_at < LATE_S:
            return None
        where = f"pod {plan.name} on StorageClass {plan.classes} ended before that ({describe_pod(pod)})"
        return StorageFailure(f"waited for {what}; {where}: {_words(output)}")

    wait_for(
        what,
        look=seen_now,
        ready=lambda seen: word in seen[0].split(),
        state=lambda seen: _words(seen[0]),
        fatal=problem,
        timeout_s=timeout_s or bench.timeout_s,
    )


def _words(output: str) -> str:
    return output.strip() or "nothing printed"
