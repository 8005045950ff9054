"""Latency at a share of the capacity, alone and next to neighbors + limit -> verdict. Pure.

As for a latency under load, a pass needs both: the latency surely within the limit, and the rate surely kept. A volume
that requests far less than its fair share must get it, whatever the others request.
"""

from __future__ import annotations

from acceptance.judging.outcome import combine, decide, outcome
from acceptance.judging.under_load import Facts, code_of, decide_rate, ends_of, facts_of, is_cached
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.neighbours import NeighbourRecord, NeighboursRecord
from acceptance.results.requirement import Decision, Outcome
from acceptance.results.under_load import Span

KEPT_SHARE = 0.9
"""The least share of the requested operations. A volume behind full queues is served in bursts: its backlog varies by a
good part of a second's operations, so that 98 % would be sure only after many minutes."""


def growth(at: NeighbourRecord, metric: str) -> Span | None:
    """Return the latency as a multiple of that alone; its ends are of two intervals, whose error chances add up."""
    alone, beside = at.alone.latencies.get(metric), at.beside.latencies.get(metric)
    if alone is None or beside is None or alone.mean <= 0.0:
        return None
    low = high = None
    if alone.high and beside.low is not None:
        low = beside.low / alone.high
    if alone.low and beside.high is not None:
        high = beside.high / alone.low
    return Span(mean=beside.mean / alone.mean, low=low, high=high)


def confidence_of(at: NeighbourRecord, limit: Limit) -> float:
    """Return the confidence of the interval that is compared with the limit."""
    if limit.rule == "at_most_beside_neighbours":
        return at.beside.confidence
    return at.alone.confidence + at.beside.confidence - 1.0


def _latency_span(at: NeighbourRecord, limit: Limit) -> Span | None:
    if limit.rule == "at_most_beside_neighbours":
        return at.beside.latencies.get(limit.path)
    return growth(at, limit.path)


def _decide_value(at: NeighbourRecord, limit: Limit, *, beyond: float = 1.0) -> Decision:
    span = _latency_span(at, limit)
    if span is None or span.low is None or span.high is None:
        return "inconclusive"
    return decide(span.low, span.high, at_most=limit.bound, beyond=beyond)


def decide_beside(at: NeighbourRecord, limit: Limit, *, beyond: float = 1.0) -> Decision:
    """Return the decision of `judge_beside` on a limit, without its words, and without caches.

    `beyond`: the factor by which the latency must lie on either side of the limit, for an early interim analysis.
    """
    if _unfit(at):
        return "inconclusive"
    return combine(decide_rate(at.beside, kept_share=KEPT_SHARE), _decide_value(at, limit, beyond=beyond))


def judge_beside(record: NeighboursRecord, limit: Limit) -> Verdict:
    """Return the verdict on a latency next to neighbors at the share of the capacity that the limit names.

    Inconclusive if there was nothing to compare: neighbors that did nothing, or a volume that does not keep the rate
    alone. As under load, a pass also needs a file that no cache holds. The capacity need not be known well: it only
    serves to find a rate that the volume keeps with ease alone, and the load alone shows if it does.
    """
    at = next((share for share in record.shares if share.beside.share == limit.at["of_capacity"]), None)
    capacity = None if record.capacity is None else record.capacity.mean
    if at is None:
        return _verdict(record, limit, "inconclusive", "too_little", {"capacity": capacity}, at=None)
    status = decide_beside(at, limit)
    code = _unfit(at) or code_of(at.beside, status, _latency_span(at, limit), kept_share=KEPT_SHARE)
    alone, beside = (load.latencies.get(limit.path) for load in (at.alone, at.beside))
    facts = facts_of(at.beside, _decide_value(at, limit), kept_share=KEPT_SHARE) | {
        "capacity": capacity or 0.0,
        "alone_s": None if alone is None else alone.mean,
        "beside_s": None if beside is None else beside.mean,
        "neighbors": [*at.neighbours],
    }
    if status == "pass" and is_cached(record.cache, test_size=record.test_size):
        status, code = "inconclusive", "cached"
        facts |= {"cache": record.cache, "test_size": record.test_size}
    return _verdict(record, limit, status, code, facts, at=at)


def _unfit(at: NeighbourRecord) -> str | None:
    """Return the code of why neighbors cannot be judged; None if they can."""
    if not all(at.neighbours):
        return "neighbor_idle"
    return "missed_alone" if decide_rate(at.alone, kept_share=KEPT_SHARE) == "fail" else None


def _verdict(
    record: NeighboursRecord,
    limit: Limit,
    status: Decision,
    code: str,
    facts: Facts,
    *,
    at: NeighbourRecord | None,
) -> Verdict:
    span = None if at is None else _latency_span(at, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        value=None if span is None else span.mean,
        interval=ends_of(span),
        confidence=None if at is None else confidence_of(at, limit),
        status=status,
        finding=Outcome(code=f"neighbours.{code}", facts=facts),
    )
