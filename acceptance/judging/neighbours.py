"""Latency at a share of the capacity, alone and beside neighbours + limit -> verdict. Pure.

As for a latency under load, a pass needs both: the latency surely within the limit, and the rate surely kept. A volume
that asks for far less than its fair share must get it, whatever the others ask for.
"""

from __future__ import annotations

from acceptance.judging.outcome import both, decide, held_against, outcome
from acceptance.judging.under_load import cached_in_words, decide_rate, ends_of, rate_in_words
from acceptance.limits.neighbours import NeighbourLimit
from acceptance.results.document import Verdict
from acceptance.results.neighbours import NeighbourRecord, NeighboursRecord
from acceptance.results.requirement import Decision
from acceptance.results.under_load import Span
from acceptance.text.quantities import format_quantity

KEPT = 0.9
"""of all operations that were asked for. A volume that waits behind full queues is served in fits: what it is owed
wanders by a good part of a second's operations, so that 98 % would be sure only after many minutes."""
MISSED = "alone the volume did this and more, and its neighbours leave it less"
LEFT_OPEN = "a quieter machine or a longer measurement (--storage-longest) would decide it"


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


def confidence_of(at: NeighbourRecord, limit: NeighbourLimit) -> float:
    """Of the interval that is held against the limit."""
    if limit.kind == "at_most_beside_neighbours":
        return at.beside.confidence
    return at.alone.confidence + at.beside.confidence - 1.0


def _found(at: NeighbourRecord, limit: NeighbourLimit) -> Span | None:
    if limit.kind == "at_most_beside_neighbours":
        return at.beside.latencies.get(limit.metric.path)
    return growth(at, limit.metric.path)


def _decide_value(at: NeighbourRecord, limit: NeighbourLimit, *, beyond: float = 1.0) -> Decision:
    found = _found(at, limit)
    if found is None or found.low is None or found.high is None:
        return "inconclusive"
    return decide(found.low, found.high, at_most=limit.value, beyond=beyond)


def decide_beside(at: NeighbourRecord, limit: NeighbourLimit, *, beyond: float = 1.0) -> Decision:
    """What `judge_beside` says of a limit, without its words and but for caches.

    `beyond`: by what factor the latency must lie on either side of it, where it is early to say so.
    """
    if _unfit(at):
        return "inconclusive"
    return both(decide_rate(at.beside, kept=KEPT), _decide_value(at, limit, beyond=beyond))


def judge_beside(record: NeighboursRecord, limit: NeighbourLimit) -> Verdict:
    """The verdict on a latency beside neighbours at the share of the capacity that the limit names.

    Inconclusive where there was nothing to hold it against: neighbours that did nothing, or a volume that does not keep
    the rate alone. As under load, a pass also needs a file that no cache holds. The capacity need not be known well:
    it is there to find a rate that the volume keeps with ease alone, and whether it does is seen.
    """
    at = next((each for each in record.shares if each.beside.share == limit.of_capacity), None)
    subject = f"{limit.metric} of {record.profile} on {record.storage_class}"
    if at is None:
        did = "nothing" if record.capacity is None else format_quantity(record.capacity.mean, unit="1/s")
        why = f"what the volume did alone ({did}) is too little for a share of it"
        return _verdict(record, limit, "inconclusive", f"{subject} beside neighbours cannot be judged: {why}", at=None)
    can = record.capacity.mean if record.capacity else 0.0
    asked, did = (format_quantity(each, unit="1/s") for each in (at.beside.asked, can))
    others = "1 volume" if record.count == 1 else f"{record.count} volumes"
    subject += f" at {limit.of_capacity * 100:.4g} % of its capacity ({asked} of {did}), beside {others} at full load,"
    status = decide_beside(at, limit)
    said = [f"{subject} {_value(at, limit)}", rate_in_words(at.beside, missed=MISSED, kept=KEPT), _neighbours(at)]
    if (unfit := _unfit(at)) is not None:
        said.append(unfit)
    if status == "pass" and (cached := cached_in_words(record.cache, test_size=record.test_size)) is not None:
        status = "inconclusive"
        said.append(cached)
    return _verdict(record, limit, status, "; ".join([*said, *at.beside.warnings]), at=at)


def _unfit(at: NeighbourRecord) -> str | None:
    """Why nothing can be said of neighbours; None where it can."""
    if not all(at.neighbours):
        return "which is not judged: a neighbour did nothing meanwhile, so nothing is known of a volume beside it"
    if decide_rate(at.alone, kept=KEPT) == "fail":
        return "which is not judged: alone the volume did not keep this rate either, a share of what it did before"
    return None


def _neighbours(at: NeighbourRecord) -> str:
    return f"the others together did {format_quantity(sum(at.neighbours), unit='1/s')}"


def _value(at: NeighbourRecord, limit: NeighbourLimit) -> str:
    found = _found(at, limit)
    if found is None:
        return "has no value: nothing was done"
    unit = limit.unit
    said = f"is {format_quantity(found.mean, unit=unit, beside=limit.value)}"
    path = limit.metric.path
    alone, beside = (_time(each.latencies.get(path)) for each in (at.alone, at.beside))
    told = f"alone: {alone}" if unit == "s" else f"{beside}, alone {alone}"
    if unit == "ratio":
        said += " that alone"
    if found.low is None or found.high is None:
        return f"{said} ({told}), from too few operations for a confidence interval; {LEFT_OPEN}"
    low, high = (format_quantity(each, unit=unit, beside=limit.value) for each in (found.low, found.high))
    lies = held_against(_decide_value(at, limit), limit.wanted, because=limit.because, left_open=LEFT_OPEN)
    return f"{said} ({confidence_of(at, limit) * 100:.4g}% CI {low} to {high}; {told}), {lies}"


def _time(span: Span | None) -> str:
    return "not known" if span is None else format_quantity(span.mean, unit="s")


def _verdict(
    record: NeighboursRecord, limit: NeighbourLimit, status: Decision, reason: str, *, at: NeighbourRecord | None
) -> Verdict:
    found = None if at is None else _found(at, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=None if found is None else found.mean,
        interval=ends_of(found),
        unit=limit.unit,
        confidence=None if at is None else confidence_of(at, limit),
        status=status,
        reason=f"{reason}.",
    )
