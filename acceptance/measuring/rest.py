"""Whether storage is faster when it rests: credits, caches and queues recover in the pauses of a load in turn."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.loads.fio.samples import Sample
from acceptance.measuring.batches import batches, loaded_s
from acceptance.measuring.measure import BySegment
from acceptance.results.document import Role
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.intervals import Interval
from acceptance.statistics.ratios import Ratio, independent_ratio, of_equal_weight, ratio

CONFIDENCE = 0.99
FASTER_AFTER_REST = 1.05
"""drift of the machine from one segment to the next stays below it"""
FASTER_IN_TURN = 1.2
"""as large as the smallest margin of the shipped rules; what a minute changes by itself is mostly less"""
LULL = 0.5
"""of what it did without a pause: a class that does less in turn is seen between two bursts, or was in one before"""


def rest_effect(segments: BySegment, *, role: Role, plan: AnalysisPlan) -> Ratio:
    """Operations a second after much rest / after little, of a class that was loaded as `measure_alternately` does.

    The class that begins alternates, so each class is loaded twice in a row: first after the other class had its two
    segments, and then after a pause of a fraction of a second. The two are divided by each other, batch by batch. The
    baseline's first segment follows nothing, and has no partner. Without a value where the segments are too few.
    """
    first = 0 if role == "candidate" else 1
    pairs = zip(segments[first::2], segments[first + 1 :: 2], strict=False)
    length = plan.at(loaded_s(segments)).batch_s
    rounds = []
    for rested, at_once in pairs:
        much, little = rates([rested], length=length), rates([at_once], length=length)
        rounds.append(of_equal_weight(little[: len(much)], much[: len(little)]))
    return ratio(rounds, confidence=CONFIDENCE)


def in_turn_against_alone(
    in_turn: BySegment, alone: BySegment, *, plan: AnalysisPlan, plan_alone: AnalysisPlan
) -> Interval | None:
    """Operations a second in turn, where a class rests half of the time / without a pause; None of too few batches.

    Where the class had credits for all of each turn, only this shows it.
    """
    look, look_alone = plan.at(loaded_s(in_turn)), plan_alone.at(loaded_s(alone))
    return independent_ratio(
        rates(in_turn, length=look.batch_s),
        rates(alone, length=look_alone.batch_s),
        confidence=CONFIDENCE,
        correlation=max(look.batch_correlation, look_alone.batch_correlation),
    )


def is_in_a_lull(in_turn: BySegment, alone: BySegment) -> bool:
    """Whether a class did so much less in turn than without a pause that these may be seconds between its bursts."""
    (done, taken_s), (done_alone, taken_alone_s) = map(_total, (in_turn, alone))
    return bool(taken_s and taken_alone_s) and done / taken_s < LULL * done_alone / taken_alone_s


def rates(segments: BySegment, *, length: int) -> list[float]:
    """Operations a second, of whatever kind, in batches of `length` seconds."""
    return [_rate(batch) for samples in segments for batch in batches(samples, length=length)]


def _rate(samples: Sequence[Sample]) -> float:
    done, taken_s = _total([samples])
    return done / taken_s


def _total(segments: BySegment) -> tuple[int, float]:
    """All operations, and the time that they took (s)."""
    samples = [sample for segment in segments for sample in segment]
    done = sum(counts.ios for sample in samples for counts in sample.counts.values())
    return done, sum(sample.duration_s for sample in samples)
