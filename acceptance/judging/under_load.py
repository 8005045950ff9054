"""Latency at a share of the capacity + limit -> verdict. Pure.

A latency is judged at the requested rate, or not at all: storage that does not keep the rate shows its latency under
less load. So a pass needs both, the latency surely within the limit and the rate surely kept. If one of them is
certainly missed, the verdict is fail: a latency that is too long at less than the rate is no shorter at all of it.
"""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import combine, decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.results.under_load import ShareRecord, Span, UnderLoadRecord

KEPT_SHARE = 0.98
"""The least share of the requested operations, as in the shipped limit on many volumes at a set rate."""
KNOWN_SHARE = 0.9
"""The least ratio of the capacity's lower bound to its mean. Shares are of the lower bound: if that is further below, a
load that is called 80 % is far less."""

Facts = dict[str, JsonValue]


def is_known(capacity: Span | None) -> bool:
    """Return whether the capacity is known well enough for its shares."""
    return capacity is not None and capacity.low is not None and capacity.low >= KNOWN_SHARE * capacity.mean


def decide_under_load(at: ShareRecord, limit: Limit) -> Decision:
    """Return the decision of `judge_under_load` on a limit, without its words, caches and capacity."""
    return combine(decide_rate(at), decide_latency(at, limit))


def decide_rate(at: ShareRecord, *, kept_share: float = KEPT_SHARE) -> Decision:
    """Return the decision if the volume reached at least the share `kept_share` of the rate."""
    if at.reached.low is None or at.reached.high is None:
        return "inconclusive"
    return decide(at.reached.low, at.reached.high, at_least=kept_share)


def decide_latency(at: ShareRecord, limit: Limit) -> Decision:
    """Return the decision if the latency, at the rate that was reached, is within the limit."""
    latency = at.latencies.get(limit.path)
    if latency is None or latency.low is None or latency.high is None:
        return "inconclusive"
    return decide(latency.low, latency.high, at_most=limit.bound)


def judge_under_load(record: UnderLoadRecord, limit: Limit) -> Verdict:
    """Return the verdict on a latency at the share of the capacity that the limit names.

    Also inconclusive: a pass over a file that the storage's cache can hold, and a pass at a share of a capacity that is
    not known well, because the load may then be less than its name. A fail at such a share counts.
    """
    at = next((share for share in record.shares if share.share == limit.at["of_capacity"]), None)
    if at is None:
        return _verdict(record, limit, "inconclusive", _no_share(record), at=None)
    status = decide_under_load(at, limit)
    code = code_of(at, status, at.latencies.get(limit.path))
    facts = facts_of(at, decide_latency(at, limit), kept_share=KEPT_SHARE) | {"sure": record.sure}
    if status == "pass" and not is_known(record.capacity):
        status, code = "inconclusive", "capacity_not_known"
        facts["capacity"] = record.capacity.mean if record.capacity else 0.0
    if status == "pass" and is_cached(record.cache, test_size=record.test_size):
        status, code = "inconclusive", "cached"
        facts |= {"cache": record.cache, "test_size": record.test_size}
    return _verdict(record, limit, status, Outcome(code=f"under_load.{code}", facts=facts), at=at)


def is_cached(cache: int | None, *, test_size: int) -> bool:
    """Return whether a pass means nothing, because a cache of this size (bytes) holds the test file."""
    return cache is not None and cache >= test_size


def code_of(at: ShareRecord, status: Decision, latency: Span | None, *, kept_share: float = KEPT_SHARE) -> str:
    """Return the code of the outcome. A missed rate goes first: a latency under less load adds nothing."""
    rate = decide_rate(at, kept_share=kept_share)
    if status == "fail":
        return "rate_not_kept" if rate == "fail" else "outside"
    if status == "inconclusive":
        if latency is None:
            return "no_value"
        if None in (ends_of(latency), at.reached.low, at.reached.high):
            return "too_few_samples"
        if rate == "inconclusive":
            return "rate_open"
    return LIES[status]


def facts_of(at: ShareRecord, latency: Decision, *, kept_share: float) -> Facts:
    """Return the facts of a load at a share. `latency`: its decision; `kept_share`: as for `decide_rate`."""
    rate_share = at.reached
    rate: Facts = {
        "lies": decide_rate(at, kept_share=kept_share),
        "reached": rate_share.mean,
        "low": rate_share.low,
        "high": rate_share.high,
        "least": kept_share,
    }
    return {"asked": at.asked, "latency": latency, "rate": rate, "warnings": [*at.warnings]}


def _no_share(record: UnderLoadRecord) -> Outcome:
    if record.capacity is None:
        return Outcome(code="under_load.no_capacity")
    return Outcome(code="under_load.too_little", facts={"sure": record.sure})


def ends_of(span: Span | None) -> tuple[float, float] | None:
    """Return the interval if it has both ends, else None."""
    return None if span is None or span.low is None or span.high is None else (span.low, span.high)


def _verdict(
    record: UnderLoadRecord, limit: Limit, status: Decision, finding: Outcome, *, at: ShareRecord | None
) -> Verdict:
    latency = None if at is None else at.latencies.get(limit.path)
    return outcome(
        limit,
        storage_class=record.storage_class,
        value=None if latency is None else latency.mean,
        interval=ends_of(latency),
        confidence=None if at is None else at.confidence,
        status=status,
        finding=finding,
    )
