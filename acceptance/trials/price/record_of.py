"""From what was watched to the record: periods, CPU for a thousand operations, and how memory grew."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from acceptance.loads.fio.samples import Sample
from acceptance.measuring.measure import Recording
from acceptance.results.price import MemoryGrowth, PricedPod, PricePeriod, PriceRecord, Span
from acceptance.statistics.growth import growth
from acceptance.statistics.intervals import MINIMUM_BATCHES, Part, weighted_interval
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.price.history import MOST_GAP_S, PodHistory, Point, at
from acceptance.trials.price.watch import PriceWatch

CONFIDENCE = 0.98
"""storage exactly at its limit passes in 1 % of runs at the most, and fails in 1 %"""
WINDOW_S = 20.0
"""so long are the parts of a period: kubelets look at a pod that works every 10 to 20 s"""
WARMING = 0.25
"""of the load: caches and buffers fill once, which is no leak"""
MOST_DRAWN = 400
HOUR_S = 3600.0
Period = tuple[str, float, float]


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """One load: when it began (s, as the watch has it), and its samples one after the other."""

    begin_s: float
    samples: Sequence[Sample]

    @property
    def end_s(self) -> float:
        """Where its last sample ended."""
        return self.begin_s + sum(sample.duration_s for sample in self.samples)

    def operations(self, begin_s: float, end_s: float) -> float:
        """So many were done between two times; of a sample that is only partly between them a part of it."""
        total, now_s = 0.0, self.begin_s
        for sample in self.samples:
            after_s = now_s + sample.duration_s
            share = max(0.0, min(after_s, end_s) - max(now_s, begin_s)) / sample.duration_s
            total += share * sum(counts.ios for counts in sample.counts.values())
            now_s = after_s
        return total


def loaded(recording: Recording) -> Loaded:
    """Of a load without a pause: its ramp is none of it."""
    (segment,) = recording.segments
    return Loaded(begin_s=segment.started.timestamp() + recording.profile.ramp_s, samples=segment.samples)


def price_record(
    watch: PriceWatch, load: Loaded, *, storage_class: str, profile: str, of: Sequence[str], rest_s: float
) -> PriceRecord:
    """All that was seen, from the first look to the last. `rest_s`: how long it rested before and after."""
    last_s = _last_s(watch.pods.values())
    periods: list[Period] = [
        ("rest", watch.began_s, watch.began_s + rest_s),
        ("load", load.begin_s, load.end_s),
        ("after", load.end_s, max(load.end_s, last_s)),
    ]
    histories = list(watch.pods.values())
    step_s = max(WINDOW_S / 2, (last_s - watch.began_s) / MOST_DRAWN)
    drawn = list(_steps(watch.began_s, last_s, step_s))
    return PriceRecord(
        storage_class=storage_class,
        profile=profile,
        of=list(of),
        started=watch.started,
        load_s=load.end_s - load.begin_s,
        iops=load.operations(load.begin_s, load.end_s) / (load.end_s - load.begin_s),
        cpu_per_1000_iops=_per_operations(histories, load),
        periods=[_period(period, histories, since=watch.began_s) for period in periods],
        pods=[
            _pod(key.namespace, key.name, history, periods=periods, load=load)
            for key, history in sorted(watch.pods.items(), key=lambda item: (item[0].namespace, item[0].name))
        ],
        step_s=step_s,
        cpu_series=[None if used is None else used / step_s for used in (_used(histories, *each) for each in drawn)],
        memory_series=[_held(histories, (begin + end) / 2) for begin, end in drawn],
        confidence=CONFIDENCE,
        requests=watch.requests,
        asked_s=watch.asked_s,
        missed=list(watch.missed),
    )


def _last_s(histories: Iterable[PodHistory]) -> float:
    """Until then all is known of those that are still there: what is known of some of them is no sum of all."""
    ends = [points[-1][0] for history in histories for points in (history.cpu, history.memory) if points]
    if not ends:
        raise EnvironmentFailure(
            "no kubelet gave CPU and memory of the storage's pods; look at what kubelets report of them "
            "at /api/v1/nodes/NODE/proxy/metrics/resource"
        )
    return min(end for end in ends if end > max(ends) - MOST_GAP_S)


def _steps(begin_s: float, end_s: float, step_s: float) -> Iterable[tuple[float, float]]:
    """Whole steps between two times."""
    count = int((end_s - begin_s) / step_s)
    return pairwise(begin_s + step_s * number for number in range(count + 1))


def _used(histories: Iterable[PodHistory], begin_s: float, end_s: float) -> float | None:
    """CPU seconds of all pods between two times; of those that are known then, None where none is."""
    ends = [(at(history.cpu, begin_s), at(history.cpu, end_s)) for history in histories]
    known = [end - begin for begin, end in ends if begin is not None and end is not None]
    return math.fsum(known) if known else None


def _held(histories: Iterable[PodHistory], when_s: float) -> float | None:
    known = [held for history in histories if (held := at(history.memory, when_s)) is not None]
    return math.fsum(known) if known else None


def _period(period: Period, histories: Sequence[PodHistory], *, since: float) -> PricePeriod:
    name, begin_s, end_s = period
    parts = [
        Part(used, WINDOW_S)
        for begin, end in _steps(begin_s, end_s, WINDOW_S)
        if (used := _used(histories, begin, end)) is not None
    ]
    held = [
        each for begin, end in _steps(begin_s, end_s, WINDOW_S / 2) if (each := _held(histories, (begin + end) / 2))
    ]
    return PricePeriod(
        name=name,
        begin_s=begin_s - since,
        end_s=end_s - since,
        cpu=_span(parts),
        memory=fmean(held) if held else None,
        peak=max(held, default=None),
    )


def _per_operations(histories: Sequence[PodHistory], load: Loaded) -> Span | None:
    """CPU seconds by thousands of operations is CPUs by thousands of operations a second."""
    windows = [
        (_used(histories, begin, end), load.operations(begin, end) / 1000)
        for begin, end in _steps(load.begin_s, load.end_s, WINDOW_S)
    ]
    return _span([Part(used, done) for used, done in windows if used is not None and done > 0.0])


def _span(parts: Sequence[Part]) -> Span | None:
    if not parts:
        return None
    if len(parts) < MINIMUM_BATCHES:
        return Span(mean=math.fsum(part.amount for part in parts) / math.fsum(part.weight for part in parts))
    found = weighted_interval(parts, confidence=CONFIDENCE)
    return Span(mean=found.mean, low=found.low, high=found.high if math.isfinite(found.high) else None)


def _pod(namespace: str, name: str, history: PodHistory, *, periods: Sequence[Period], load: Loaded) -> PricedPod:
    used = _used([history], load.begin_s + WINDOW_S, load.end_s - WINDOW_S)
    held = {
        period: fmean(found)
        for period, begin_s, end_s in periods
        if (found := [value for at_s, value in history.memory if begin_s <= at_s <= end_s])
    }
    return PricedPod(
        namespace=namespace,
        pod=name,
        cpu=None if used is None else used / (load.end_s - load.begin_s - 2 * WINDOW_S),
        memory=held,
        restarts=history.restarts,
        growth=_growth(history, begin_s=load.begin_s + WARMING * (load.end_s - load.begin_s), end_s=load.end_s),
    )


def _growth(history: PodHistory, *, begin_s: float, end_s: float) -> MemoryGrowth | None:
    """Of the longest time between two restarts, of which nothing is let go of; in bytes an hour."""
    ends = [begin_s, *(each for each in history.restarted_s if begin_s < each < end_s), end_s]
    lives = [[each for each in history.memory if begin <= each[0] <= end] for begin, end in pairwise(ends)]
    longest: list[Point] = max(lives, key=_length)
    found = growth([at_s for at_s, _ in longest], [value for _, value in longest], confidence=CONFIDENCE)
    if found is None:
        return None
    return MemoryGrowth(
        mean=found.mean * HOUR_S,
        low=found.low * HOUR_S,
        high=found.high * HOUR_S,
        first=found.first * HOUR_S,
        second=found.second * HOUR_S,
        seconds=_length(longest),
    )


def _length(points: Sequence[Point]) -> float:
    return points[-1][0] - points[0][0] if points else 0.0
