"""The effect of idle time on storage: credits, caches and queues recover in the pauses of a load in turn."""

from __future__ import annotations

from acceptance.measuring.batches import batches, loaded_s, rate
from acceptance.measuring.measure import BySegment
from acceptance.results.document import Role
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.intervals import Interval
from acceptance.statistics.ratios import Ratio, independent_ratio, of_equal_weight, ratio

CONFIDENCE = 0.99
FASTER_AFTER_REST = 1.05
"""A ratio that the drift of the machine from one segment to the next stays below."""
FASTER_IN_TURN = 1.2
"""As large as the smallest margin of the shipped rules; changes from minute to minute are mostly smaller."""
LULL = 0.5
"""A share of the rate without a pause: a class that does less in turn is between two bursts, or was in one before."""


def rest_effect(segments: BySegment, *, role: Role, plan: AnalysisPlan) -> Ratio:
    """Return operations a second after a long rest / after a short one, of a class loaded by `measure_alternately`.

    The class that begins alternates, so each class is loaded twice in a row: first after the two segments of the other
    class, then after a pause of a fraction of a second. The first is divided by the second, batch by batch. The
    baseline's first segment follows no other and has no partner. The ratio has no value if there are too few segments.
    """
    first = 0 if role == "candidate" else 1
    pairs = zip(segments[first::2], segments[first + 1 :: 2], strict=False)
    length = plan.at(loaded_s(segments)).batch_s
    rounds = []
    for segment_after_rest, next_segment in pairs:
        much, little = rates([segment_after_rest], length=length), rates([next_segment], length=length)
        rounds.append(of_equal_weight(little[: len(much)], much[: len(little)]))
    return ratio(rounds, confidence=CONFIDENCE)


def in_turn_against_alone(
    in_turn: BySegment, alone: BySegment, *, plan: AnalysisPlan, plan_alone: AnalysisPlan
) -> Interval | None:
    """Return operations a second in turn, with rest half of the time / without a pause; None if too few batches.

    If the class had credits for the whole of each turn, only this ratio shows it.
    """
    look, look_alone = plan.at(loaded_s(in_turn)), plan_alone.at(loaded_s(alone))
    return independent_ratio(
        rates(in_turn, length=look.batch_s),
        rates(alone, length=look_alone.batch_s),
        confidence=CONFIDENCE,
        correlation=max(look.batch_correlation, look_alone.batch_correlation),
    )


def is_in_a_lull(in_turn: BySegment, alone: BySegment) -> bool:
    """Return whether a class did so much less in turn than without a pause that it may be between two bursts."""
    ours, before = ([sample for segment in segments for sample in segment] for segments in (in_turn, alone))
    return bool(ours and before) and rate(ours) < LULL * rate(before)


def rates(segments: BySegment, *, length: int) -> list[float]:
    """Return operations a second, of all kinds, in batches of `length` seconds."""
    return [rate(batch) for samples in segments for batch in batches(samples, length=length)]
