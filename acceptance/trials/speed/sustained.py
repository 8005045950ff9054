"""A profile on a class without a pause for the requested time, and its figures at the end."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.limits.limit import Limit
from acceptance.loads.fio.samples import Sample
from acceptance.measuring.batches import seconds_of
from acceptance.measuring.distribution import distribution
from acceptance.measuring.measure import Recording
from acceptance.measuring.metric_values import metric_estimate, shown_metrics
from acceptance.results.document import SustainedRecord
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.steady_state import ROUNDS
from acceptance.trials.speed.records import measurement_of

JUDGED_S = 300
"""Seconds that are judged at the end: SNIA's five rounds of a minute; at most half of a load, in whole minutes."""
BATCH_S = 12
"""Seconds of a batch, more than in a load of a minute: five minutes still have 25 of them."""


def plan_of(asked_s: int) -> AnalysisPlan:
    """Return a plan with one analysis, at the end."""
    return AnalysisPlan(seconds=(asked_s,), batch_s=BATCH_S)


def judged_seconds(asked_s: int) -> int:
    """Return how many seconds of the end are judged."""
    return min(JUDGED_S, asked_s // 2 // 60 * 60)


def sustained_record(
    recording: Recording, *, asked_s: int, limits: Sequence[Limit], cache: int | None
) -> SustainedRecord:
    """Return the record of the load, with the values of its end. `cache`: bytes of the storage's own cache, if known.

    The values are those that are always shown, and those that the limits need.
    """
    plan, judged_s = plan_of(asked_s), judged_seconds(asked_s)
    whole = measurement_of(recording, plan=plan)
    end = [last_seconds([sample for segment in recording.samples for sample in segment], length_s=judged_s)]
    metrics = {metric.path: metric for metric in [*shown_metrics(end), *(limit.metric for limit in limits)]}
    estimates = {
        path: metric_estimate(metric, end, plan=plan_of(judged_s), confidence=plan.at(asked_s).confidence)
        for path, metric in metrics.items()
        if metric.statistic != "longest"
    }
    changes = {
        "id": f"{whole.id}/sustained",
        "metrics": {path: estimate for path, estimate in estimates.items() if estimate is not None},
        "distribution": distribution(end),
    }
    return SustainedRecord(
        load=whole.model_copy(update=changes),
        asked_s=asked_s,
        judged_s=judged_s,
        rounds=rounds_of(end[0]),
        test_size=recording.volume.test_size,
        cache=cache,
    )


def last_seconds(samples: Sequence[Sample], *, length_s: int) -> Sequence[Sample]:
    """Return the last samples, until they last for `length_s` seconds; all samples if they are shorter."""
    for count in range(1, len(samples) + 1):
        if seconds_of(samples[-count:]) >= length_s:
            return samples[-count:]
    return samples


def rounds_of(samples: Sequence[Sample]) -> list[float]:
    """Return the operations per second in each fifth of the time.

    A sample belongs to the fifth in which its middle lies: in a fifth without samples the storage stood still.
    """
    total_s, begun_s = sum(sample.duration_s for sample in samples), 0.0
    operation_counts, times_s = [0] * ROUNDS, [0.0] * ROUNDS
    for sample in samples:
        place = min(ROUNDS - 1, int(ROUNDS * (begun_s + sample.duration_s / 2) / total_s))
        begun_s += sample.duration_s
        operation_counts[place] += sum(counts.ios for counts in sample.counts.values())
        times_s[place] += sample.duration_s
    return [ios / taken_s if taken_s else 0.0 for ios, taken_s in zip(operation_counts, times_s, strict=True)]
