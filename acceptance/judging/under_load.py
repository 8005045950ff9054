"""Latency at a share of the capacity + limit -> verdict. Pure.

A latency is judged at the rate that it was asked for, or not at all: storage that does not keep the rate has shown what
it does under less. So a pass needs both, the latency surely within the limit and the rate surely kept. Either of them
missed for certain is a fail: a latency that is too long under less than the rate is no shorter under all of it.
"""

from __future__ import annotations

from acceptance.judging.outcome import both, decide, held_against, outcome
from acceptance.limits.under_load import UnderLoadLimit
from acceptance.results.document import Verdict
from acceptance.results.requirement import Decision
from acceptance.results.under_load import ShareRecord, Span, UnderLoadRecord
from acceptance.text.quantities import format_quantity, format_size

KEPT = 0.98
"""of all operations that were asked for: as the shipped limit on many volumes at a set rate has it"""
KNOWN = 0.9
"""Shares are of the lower end of the capacity's interval: so close to its mean that must be, or a load that is called
80 % is far less."""

BEFORE = "the volume did more than that for a minute before, and cannot do a share of it now"


def is_known(capacity: Span | None) -> bool:
    """Whether a share of the capacity is what it is called."""
    return capacity is not None and capacity.low is not None and capacity.low >= KNOWN * capacity.mean


def decide_under_load(at: ShareRecord, limit: UnderLoadLimit) -> Decision:
    """What `judge_under_load` says of a limit, without its words and but for caches and what the capacity is."""
    return both(decide_rate(at), decide_latency(at, limit))


def decide_rate(at: ShareRecord, *, kept: float = KEPT) -> Decision:
    """Whether the rate was kept: so much of it, as a share."""
    if at.reached.low is None or at.reached.high is None:
        return "inconclusive"
    return decide(at.reached.low, at.reached.high, at_least=kept)


def decide_latency(at: ShareRecord, limit: UnderLoadLimit) -> Decision:
    """Whether the latency, under whatever was reached, is within the limit."""
    found = at.latencies.get(limit.metric.path)
    if found is None or found.low is None or found.high is None:
        return "inconclusive"
    return decide(found.low, found.high, at_most=limit.value)


def judge_under_load(record: UnderLoadRecord, limit: UnderLoadLimit) -> Verdict:
    """The verdict on a latency at the share of the capacity that the limit names.

    Inconclusive is also a pass over a file that the storage's cache can hold, and at a share of a capacity that is not
    known well: a share that fails may be less than it is called, one that passes may not.
    """
    at = next((each for each in record.shares if each.share == limit.of_capacity), None)
    subject = f"{limit.metric} of {record.profile} on {record.storage_class}"
    if at is None:
        return _verdict(record, limit, "inconclusive", f"{subject} cannot be judged: {_no_share(record)}", at=None)
    asked, sure = (format_quantity(each, unit="1/s") for each in (at.asked, record.sure))
    subject += f" at {_percent(limit.of_capacity)} of its capacity ({asked} of {sure})"
    status = decide_under_load(at, limit)
    said = [f"{subject} {_latency(at, limit)}", rate_in_words(at)]
    if status == "pass" and not is_known(record.capacity):
        status = "inconclusive"
        said.append(_unknown_capacity(record))
    if status == "pass" and (cached := cached_in_words(record.cache, test_size=record.test_size)) is not None:
        status = "inconclusive"
        said.append(cached)
    return _verdict(record, limit, status, "; ".join([*said, *at.warnings]), at=at)


def cached_in_words(cache: int | None, *, test_size: int) -> str | None:
    """Why a pass says nothing where a cache of so many bytes holds the test file; None where none is known to."""
    if cache is None or cache < test_size:
        return None
    return (
        f"which is not judged: the target file names a cache of {format_size(cache)}, and the test file of "
        f"{format_size(test_size)} is no larger; give it more with --storage-test-size"
    )


def _unknown_capacity(record: UnderLoadRecord) -> str:
    can = record.capacity
    mean, sure = (format_quantity(each, unit="1/s") for each in (can.mean if can else 0.0, record.sure))
    return (
        f"which is not judged: what the volume can do is not known well enough (on average {mean}, certainly {sure}), "
        "so that the share may be far less; a quieter machine or a longer measurement would decide it"
    )


def _no_share(record: UnderLoadRecord) -> str:
    if record.capacity is None:
        return "nothing was done in a minute of full load, so there is no capacity to take a share of"
    sure = format_quantity(record.sure, unit="1/s")
    return f"what it certainly does ({sure}) is too little for a share of it"


def _latency(at: ShareRecord, limit: UnderLoadLimit) -> str:
    found = at.latencies.get(limit.metric.path)
    if found is None:
        return "has no value: nothing was done"
    said = f"is {format_quantity(found.mean, unit='s', beside=limit.value)}"
    if found.low is None or found.high is None:
        return f"{said}, from too few operations for a confidence interval"
    low, high = (format_quantity(each, unit="s", beside=limit.value) for each in (found.low, found.high))
    lies = held_against(
        decide_latency(at, limit),
        limit.wanted,
        because=limit.because,
        left_open="a quieter machine or a longer measurement would decide it",
    )
    return f"{said} ({at.confidence * 100:.4g}% CI {low} to {high}), {lies}"


def rate_in_words(at: ShareRecord, *, missed: str = BEFORE, kept: float = KEPT) -> str:
    """`the rate was kept: ...`, and what it means where it was not (`missed`). `kept`: as for `decide_rate`."""
    reached = at.reached
    share = _percent(reached.mean)
    if reached.low is None or reached.high is None:
        return f"whether the rate was kept is not known: {share} of what was asked for was done, in too few seconds"
    did = (
        f"{share} of what was asked for was done (lower bound for its backlog {_percent(reached.low)}, upper bound "
        f"{_percent(reached.high)})"
    )
    wanted = _percent(kept)
    return {
        "pass": f"the rate was kept: {did}",
        "fail": f"the rate was not kept: {did}, surely less than {wanted}; {missed}",
        "inconclusive": f"whether the rate was kept is open: {did}, on both sides of {wanted}; a quieter machine or a "
        "longer measurement would decide it",
    }[decide_rate(at, kept=kept)]


def ends_of(found: Span | None) -> tuple[float, float] | None:
    """The interval, where it has both ends."""
    return None if found is None or found.low is None or found.high is None else (found.low, found.high)


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"


def _verdict(
    record: UnderLoadRecord, limit: UnderLoadLimit, status: Decision, reason: str, *, at: ShareRecord | None
) -> Verdict:
    found = None if at is None else at.latencies.get(limit.metric.path)
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=None if found is None else found.mean,
        interval=ends_of(found),
        unit="s",
        confidence=None if at is None else at.confidence,
        status=status,
        reason=f"{reason}.",
    )
