"""The end of a sustained load + limit -> verdict. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.judging.outcome import decide, held_against, outcome
from acceptance.limits.sustained import SustainedLimit
from acceptance.results.document import SustainedRecord, Verdict
from acceptance.results.requirement import Decision
from acceptance.statistics.steady_state import MOST_RANGE, MOST_SLOPE, ROUNDS, steady_state
from acceptance.text.quantities import format_quantity, format_size

CREDITS_S = 2000
"""so long last the credits of common cloud disks under a load that draws all of their burst: 30 min of Azure's, 33 min
of an EBS gp2 volume of 100 GiB; sources: docs/sustained.md"""


def judge_sustained(record: SustainedRecord, limit: SustainedLimit) -> Verdict:
    """The verdict on what storage did in the last seconds of a load: certain, and of storage that is steady then.

    Inconclusive is what does not hold SNIA's steady state, and a pass over a file that the storage's cache can hold.
    """
    load, estimate = record.load, record.load.metrics.get(limit.metric.path)
    seconds = [format_quantity(float(each), unit="s") for each in (record.judged_s, record.asked_s)]
    subject = (
        f"{limit.metric} of {load.profile} on {load.storage_class} in the last {seconds[0]} of {seconds[1]} of load"
    )
    interval: tuple[float, float] | None = None
    status: Decision = "inconclusive"
    said = "has no value: nothing was done then, so it cannot be judged"
    if estimate is not None:
        said = f"is {format_quantity(estimate.mean, unit=limit.metric.unit, beside=limit.value)}"
        if estimate.low is not None and estimate.high is not None:
            interval = estimate.low, estimate.high
            status, words = _judged(record, limit, interval)
            low, high = (format_quantity(each, unit=limit.metric.unit, beside=limit.value) for each in interval)
            said += f" ({estimate.confidence * 100:.4g}% CI {low} to {high}), {words}"
        else:
            said += ", from too few samples for a confidence interval"
    return outcome(
        limit,
        storage_class=load.storage_class,
        measured=None if estimate is None else estimate.mean,
        interval=interval,
        unit=limit.metric.unit,
        confidence=None if estimate is None else estimate.confidence,
        status=status,
        reason="; ".join([f"{subject} {said}", *unknown_of(record), *_slowing(record)]) + ".",
    )


def _judged(record: SustainedRecord, limit: SustainedLimit, interval: tuple[float, float]) -> tuple[Decision, str]:
    """The status, and what is said after the interval."""
    if trouble := unsteady(record.rounds, judged_s=record.judged_s):
        return "inconclusive", f"which is not judged: {trouble}; a longer load would show where it ends"
    status = decide(*interval, **{limit.side: limit.value})
    if status == "pass" and record.cache is not None and record.cache >= record.test_size:
        return "inconclusive", (
            f"which is not judged: the target file names a cache of {format_size(record.cache)}, and the test file of "
            f"{format_size(record.test_size)} is no larger; give it more with --storage-test-size"
        )
    return status, held_against(
        status,
        limit.wanted,
        because=limit.because,
        left_open="a quieter machine or a longer measurement would decide it",
    )


def unsteady(rounds: Sequence[float], *, judged_s: int) -> str:
    """`not steady: its 5 rounds of 60 s differ by 34 % of their mean, ...`; nothing where it is."""
    state = steady_state(rounds)
    if state.holds:
        return ""
    return (
        f"not steady: its {ROUNDS} rounds of {judged_s // ROUNDS} s differ by {state.range * 100:.0f} % of their mean, "
        f"and the line through them changes by {state.slope * 100:.0f} % (SNIA's steady state: at most "
        f"{MOST_RANGE * 100:.0f} % and {MOST_SLOPE * 100:.0f} %)"
    )


def unknown_of(record: SustainedRecord) -> list[str]:
    """What so short a load cannot know; nothing of one that is long enough."""
    if record.asked_s - record.judged_s >= CREDITS_S:
        return []
    before = format_quantity(float(record.asked_s - record.judged_s), unit="s")
    return [
        f"a short form: the judged part began after {before} of load, but burst credits of common cloud disks last "
        f"{CREDITS_S // 60} min and more; the test misses what slows down later"
    ]


def _slowing(record: SustainedRecord) -> list[str]:
    after_s = record.load.slowed_down_after_s
    return [] if after_s is None else [f"it had slowed down after {format_quantity(float(after_s), unit='s')} of load"]
