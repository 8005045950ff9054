"""A profile on a class without a pause for as long as is asked, and what it did at the end."""

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
"""at the end: SNIA's five rounds of a minute; of a shorter load no more than half, in whole minutes"""
BATCH_S = 12
"""longer than those of a minute's load: of five minutes there are 25 all the same"""


def plan_of(asked_s: int) -> AnalysisPlan:
    """One look, at the end."""
    return AnalysisPlan(seconds=(asked_s,), batch_s=BATCH_S)


def judged_seconds(asked_s: int) -> int:
    """How much of the end is judged."""
    return min(JUDGED_S, asked_s // 2 // 60 * 60)


def sustained_record(
    recording: Recording, *, asked_s: int, limits: Sequence[Limit], cache: int | None
) -> SustainedRecord:
    """What the load showed; its values are of its end. `cache`: bytes that the storage's own cache holds, as known.

    The values are those that are always shown, and what the limits ask for.
    """
    plan, judged_s = plan_of(asked_s), judged_seconds(asked_s)
    whole = measurement_of(recording, plan=plan)
    end = [last_seconds([each for segment in recording.samples for each in segment], wanted=judged_s)]
    metrics = {each.path: each for each in [*shown_metrics(end), *(limit.metric for limit in limits)]}
    estimates = {
        path: metric_estimate(metric, end, plan=plan_of(judged_s), confidence=plan.at(asked_s).confidence)
        for path, metric in metrics.items()
        if metric.statistic != "longest"
    }
    told = {
        "id": f"{whole.id}/sustained",
        "metrics": {path: each for path, each in estimates.items() if each is not None},
        "distribution": distribution(end),
    }
    return SustainedRecord(
        load=whole.model_copy(update=told),
        asked_s=asked_s,
        judged_s=judged_s,
        rounds=rounds_of(end[0]),
        test_size=recording.volume.test_size,
        cache=cache,
    )


def last_seconds(samples: Sequence[Sample], *, wanted: int) -> Sequence[Sample]:
    """The last samples, until they are so many seconds; all where they are fewer."""
    for count in range(1, len(samples) + 1):
        if seconds_of(samples[-count:]) >= wanted:
            return samples[-count:]
    return samples


def rounds_of(samples: Sequence[Sample]) -> list[float]:
    """Operations a second in each fifth of the time.

    A sample is of the fifth that its middle lies in: a fifth without any is one in which storage stood still.
    """
    total_s, begun_s = sum(each.duration_s for each in samples), 0.0
    done, times_s = [0] * ROUNDS, [0.0] * ROUNDS
    for sample in samples:
        place = min(ROUNDS - 1, int(ROUNDS * (begun_s + sample.duration_s / 2) / total_s))
        begun_s += sample.duration_s
        done[place] += sum(counts.ios for counts in sample.counts.values())
        times_s[place] += sample.duration_s
    return [ios / taken_s if taken_s else 0.0 for ios, taken_s in zip(done, times_s, strict=True)]
