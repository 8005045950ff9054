"""Latency at a share of the capacity + limit -> verdict. Pure.

A latency is judged at the rate that it was asked for, or not at all: storage that does not keep the rate has shown what
it does under less. So a pass needs both, the latency surely within the limit and the rate surely kept. Either of them
missed for certain is a fail: a latency that is too long under less than the rate is no shorter under all of it.
"""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import both, decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.results.under_load import ShareRecord, Span, UnderLoadRecord

KEPT = 0.98
"""of all operations that were asked for: as the shipped limit on many volumes at a set rate has it"""
KNOWN = 0.9
"""Shares are of the lower end of the capacity's interval: so close to its mean that must be, or a load that is called
80 % is far less."""

Facts = dict[str, JsonValue]


def is_known(capacity: Span | None) -> bool:
    """Whether a share of the capacity is what it is called."""
    return capacity is not None and capacity.low is not None and capacity.low >= KNOWN * capacity.mean


def decide_under_load(at: ShareRecord, limit: Limit) -> Decision:
    """What `judge_under_load` says of a limit, without its words and but for caches and what the capacity is."""
    return both(decide_rate(at), decide_latency(at, limit))


def decide_rate(at: ShareRecord, *, kept: float = KEPT) -> Decision:
    """Whether the rate was kept: so much of it, as a share."""
    if at.reached.low is None or at.reached.high is None:
        return "inconclusive"
    return decide(at.reached.low, at.reached.high, at_least=kept)


def decide_latency(at: ShareRecord, limit: Limit) -> Decision:
    """Whether the latency, under whatever was reached, is within the limit."""
    found = at.latencies.get(limit.path)
    if found is None or found.low is None or found.high is None:
        return "inconclusive"
    return decide(found.low, found.high, at_most=limit.bound)


def judge_under_load(record: UnderLoadRecord, limit: Limit) -> Verdict:
    """The verdict on a latency at the share of the capacity that the limit names.

    Inconclusive is also a pass over a file that the storage's cache can hold, and at a share of a capacity that is not
    known well: a share that fails may be less than it is called, one that passes may not.
    """
    at = next((share for share in record.shares if share.share == limit.at["of_capacity"]), None)
    if at is None:
        return _verdict(record, limit, "inconclusive", _no_share(record), at=None)
    status = decide_under_load(at, limit)
    code = code_of(at, status, at.latencies.get(limit.path))
    facts = facts_of(at, decide_latency(at, limit), kept=KEPT) | {"sure": record.sure}
    if status == "pass" and not is_known(record.capacity):
        status, code = "inconclusive", "capacity_not_known"
        facts["capacity"] = record.capacity.mean if record.capacity else 0.0
    if status == "pass" and is_cached(record.cache, test_size=record.test_size):
        status, code = "inconclusive", "cached"
        facts |= {"cache": record.cache, "test_size": record.test_size}
    return _verdict(record, limit, status, Outcome(code=f"under_load.{code}", facts=facts), at=at)


def is_cached(cache: int | None, *, test_size: int) -> bool:
    """Whether a pass says nothing, because a cache of so many bytes holds the test file."""
    return cache is not None and cache >= test_size


def code_of(at: ShareRecord, status: Decision, found: Span | None, *, kept: float = KEPT) -> str:
    """The name of what was found, of which an unkept rate goes first: a latency under less says nothing more."""
    rate = decide_rate(at, kept=kept)
    if status == "fail":
        return "rate_not_kept" if rate == "fail" else "outside"
    if status == "inconclusive":
        if found is None:
            return "no_value"
        if None in (ends_of(found), at.reached.low, at.reached.high):
            return "too_few_samples"
        if rate == "inconclusive":
            return "rate_open"
    return LIES[status]


def facts_of(at: ShareRecord, latency: Decision, *, kept: float) -> Facts:
    """What any load at a share tells. `latency`: where it lies; `kept`: as for `decide_rate`."""
    reached = at.reached
    rate: Facts = {
        "lies": decide_rate(at, kept=kept),
        "reached": reached.mean,
        "low": reached.low,
        "high": reached.high,
        "least": kept,
    }
    return {"asked": at.asked, "latency": latency, "rate": rate, "warnings": [*at.warnings]}


def _no_share(record: UnderLoadRecord) -> Outcome:
    if record.capacity is None:
        return Outcome(code="under_load.no_capacity")
    return Outcome(code="under_load.too_little", facts={"sure": record.sure})


def ends_of(found: Span | None) -> tuple[float, float] | None:
    """The interval, where it has both ends."""
    return None if found is None or found.low is None or found.high is None else (found.low, found.high)


def _verdict(
    record: UnderLoadRecord, limit: Limit, status: Decision, said: Outcome, *, at: ShareRecord | None
) -> Verdict:
    found = None if at is None else at.latencies.get(limit.path)
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=None if found is None else found.mean,
        interval=ends_of(found),
        confidence=None if at is None else at.confidence,
        status=status,
        found=said,
    )
