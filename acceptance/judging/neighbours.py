"""Latency at a share of the capacity, alone and beside neighbours + limit -> verdict. Pure.

As for a latency under load, a pass needs both: the latency surely within the limit, and the rate surely kept. A volume
that asks for far less than its fair share must get it, whatever the others ask for.
"""

from __future__ import annotations

from acceptance.judging.outcome import both, decide, outcome
from acceptance.judging.under_load import Facts, code_of, decide_rate, ends_of, facts_of, is_cached
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.neighbours import NeighbourRecord, NeighboursRecord
from acceptance.results.requirement import Decision, Outcome
from acceptance.results.under_load import Span

KEPT = 0.9
"""of all operations that were asked for. A volume that waits behind full queues is served in fits: what it is owed
wanders by a good part of a second's operations, so that 98 % would be sure only after many minutes."""


def growth(at: NeighbourRecord, metric: str) -> Span | None:
    """How many times as long as alone; its ends are those of two intervals, whose chances to be wrong add up."""
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
    """Of the interval that is held against the limit."""
    if limit.rule == "at_most_beside_neighbours":
        return at.beside.confidence
    return at.alone.confidence + at.beside.confidence - 1.0


def _found(at: NeighbourRecord, limit: Limit) -> Span | None:
    if limit.rule == "at_most_beside_neighbours":
        return at.beside.latencies.get(limit.path)
    return growth(at, limit.path)


def _decide_value(at: NeighbourRecord, limit: Limit, *, beyond: float = 1.0) -> Decision:
    found = _found(at, limit)
    if found is None or found.low is None or found.high is None:
        return "inconclusive"
    return decide(found.low, found.high, at_most=limit.bound, beyond=beyond)


def decide_beside(at: NeighbourRecord, limit: Limit, *, beyond: float = 1.0) -> Decision:
    """What `judge_beside` says of a limit, without its words and but for caches.

    `beyond`: by what factor the latency must lie on either side of it, where it is early to say so.
    """
    if _unfit(at):
        return "inconclusive"
    return both(decide_rate(at.beside, kept=KEPT), _decide_value(at, limit, beyond=beyond))


def judge_beside(record: NeighboursRecord, limit: Limit) -> Verdict:
    """The verdict on a latency beside neighbours at the share of the capacity that the limit names.

    Inconclusive where there was nothing to hold it against: neighbours that did nothing, or a volume that does not keep
    the rate alone. As under load, a pass also needs a file that no cache holds. The capacity need not be known well:
    it is there to find a rate that the volume keeps with ease alone, and whether it does is seen.
    """
    at = next((share for share in record.shares if share.beside.share == limit.at["of_capacity"]), None)
    capacity = None if record.capacity is None else record.capacity.mean
    if at is None:
        return _verdict(record, limit, "inconclusive", "too_little", {"capacity": capacity}, at=None)
    status = decide_beside(at, limit)
    code = _unfit(at) or code_of(at.beside, status, _found(at, limit), kept=KEPT)
    alone, beside = (each.latencies.get(limit.path) for each in (at.alone, at.beside))
    facts = facts_of(at.beside, _decide_value(at, limit), kept=KEPT) | {
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
    """The code of why nothing can be said of neighbours; None where it can."""
    if not all(at.neighbours):
        return "neighbor_idle"
    return "missed_alone" if decide_rate(at.alone, kept=KEPT) == "fail" else None


def _verdict(
    record: NeighboursRecord,
    limit: Limit,
    status: Decision,
    code: str,
    facts: Facts,
    *,
    at: NeighbourRecord | None,
) -> Verdict:
    found = None if at is None else _found(at, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=None if found is None else found.mean,
        interval=ends_of(found),
        confidence=None if at is None else confidence_of(at, limit),
        status=status,
        found=Outcome(code=f"neighbours.{code}", facts=facts),
    )
