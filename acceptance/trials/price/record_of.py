"""The record of a watch: periods, CPU for a thousand operations, and the growth of memory."""

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
"""Storage exactly at its limit passes in 1 % of runs at the most, and fails in 1 %."""
WINDOW_S = 20.0
"""The length in s of the parts of a period: kubelets check a pod that works every 10 to 20 s."""
WARMING = 0.25
"""The share of the load that is left out: caches and buffers fill once, which is no leak."""
MOST_DRAWN = 400
HOUR_S = 3600.0
Period = tuple[str, float, float]


@dataclass(frozen=True, kw_only=True)
class TimedLoad:
    """One load: when it began (s, by the clock of the watch), and its samples one after the other."""

    begin_s: float
    samples: Sequence[Sample]

    @property
    def end_s(self) -> float:
        """The end of its last sample."""
        return self.begin_s + sum(sample.duration_s for sample in self.samples)

    def operations(self, begin_s: float, end_s: float) -> float:
        """Return the number of operations between two times; a sample that lies partly between them counts in part."""
        total, now_s = 0.0, self.begin_s
        for sample in self.samples:
            after_s = now_s + sample.duration_s
            share = max(0.0, min(after_s, end_s) - max(now_s, begin_s)) / sample.duration_s
            total += share * sum(counts.ios for counts in sample.counts.values())
            now_s = after_s
        return total


def timed_load(recording: Recording) -> TimedLoad:
    """Return the load of a recording without a pause, without its ramp."""
    (segment,) = recording.segments
    return TimedLoad(begin_s=segment.start_time.timestamp() + recording.profile.ramp_s, samples=segment.samples)


def price_record(
    watch: PriceWatch, load: TimedLoad, *, storage_class: str, profile: str, of: Sequence[str], rest_s: float
) -> PriceRecord:
    """Return the record of the whole watch. `rest_s`: how long the storage was idle before and after."""
    last_s = _last_s(watch.pods.values())
    periods: list[Period] = [
        ("rest", watch.began_s, watch.began_s + rest_s),
        ("load", load.begin_s, load.end_s),
        ("after", load.end_s, max(load.end_s, last_s)),
    ]
    histories = list(watch.pods.values())
    step_s = max(WINDOW_S / 2, (last_s - watch.began_s) / MOST_DRAWN)
    steps = list(_steps(watch.began_s, last_s, step_s))
    return PriceRecord(
        storage_class=storage_class,
        profile=profile,
        of=list(of),
        started=watch.started_at,
        load_s=load.end_s - load.begin_s,
        iops=load.operations(load.begin_s, load.end_s) / (load.end_s - load.begin_s),
        cpu_per_1000_iops=_per_operations(histories, load),
        periods=[_period(period, histories, since=watch.began_s) for period in periods],
        pods=[
            _pod(key.namespace, key.name, history, periods=periods, load=load)
            for key, history in sorted(watch.pods.items(), key=lambda item: (item[0].namespace, item[0].name))
        ],
        step_s=step_s,
        cpu_series=[None if cpu is None else cpu / step_s for cpu in (_cpu_s(histories, *step) for step in steps)],
        memory_series=[_memory_at(histories, (begin + end) / 2) for begin, end in steps],
        confidence=CONFIDENCE,
        requests=watch.requests,
        asked_s=watch.asked_s,
        missed=list(watch.gaps),
    )


def _last_s(histories: Iterable[PodHistory]) -> float:
    """Return the time until which all pods that still exist are known: figures of some of them are no sum of all."""
    ends = [points[-1][0] for history in histories for points in (history.cpu, history.memory) if points]
    if not ends:
        raise EnvironmentFailure(
            "no kubelet reported CPU and memory of the storage's pods; check what kubelets report "
            "at /api/v1/nodes/NODE/proxy/metrics/resource"
        )
    return min(end for end in ends if end > max(ends) - MOST_GAP_S)


def _steps(begin_s: float, end_s: float, step_s: float) -> Iterable[tuple[float, float]]:
    """Return the whole steps between two times."""
    count = int((end_s - begin_s) / step_s)
    return pairwise(begin_s + step_s * number for number in range(count + 1))


def _cpu_s(histories: Iterable[PodHistory], begin_s: float, end_s: float) -> float | None:
    """Return the CPU seconds of all pods between two times: of the pods that are known then, None if none is."""
    ends = [(at(history.cpu, begin_s), at(history.cpu, end_s)) for history in histories]
    cpu_seconds = [end - begin for begin, end in ends if begin is not None and end is not None]
    return math.fsum(cpu_seconds) if cpu_seconds else None


def _memory_at(histories: Iterable[PodHistory], when_s: float) -> float | None:
    sizes = [size for history in histories if (size := at(history.memory, when_s)) is not None]
    return math.fsum(sizes) if sizes else None


def _period(period: Period, histories: Sequence[PodHistory], *, since: float) -> PricePeriod:
    name, begin_s, end_s = period
    parts = [
        Part(cpu_s, WINDOW_S)
        for begin, end in _steps(begin_s, end_s, WINDOW_S)
        if (cpu_s := _cpu_s(histories, begin, end)) is not None
    ]
    sizes = [
        size
        for begin, end in _steps(begin_s, end_s, WINDOW_S / 2)
        if (size := _memory_at(histories, (begin + end) / 2))
    ]
    return PricePeriod(
        name=name,
        begin_s=begin_s - since,
        end_s=end_s - since,
        cpu=_span(parts),
        memory=fmean(sizes) if sizes else None,
        peak=max(sizes, default=None),
    )


def _per_operations(histories: Sequence[PodHistory], load: TimedLoad) -> Span | None:
    """Return the CPU seconds by thousands of operations, which are CPUs by thousands of operations a second."""
    windows = [
        (_cpu_s(histories, begin, end), load.operations(begin, end) / 1000)
        for begin, end in _steps(load.begin_s, load.end_s, WINDOW_S)
    ]
    return _span([Part(cpu_s, operations) for cpu_s, operations in windows if cpu_s is not None and operations > 0.0])


def _span(parts: Sequence[Part]) -> Span | None:
    if not parts:
        return None
    if len(parts) < MINIMUM_BATCHES:
        return Span(mean=math.fsum(part.amount for part in parts) / math.fsum(part.weight for part in parts))
    interval = weighted_interval(parts, confidence=CONFIDENCE)
    return Span(mean=interval.mean, low=interval.low, high=interval.high if math.isfinite(interval.high) else None)


def _pod(namespace: str, name: str, history: PodHistory, *, periods: Sequence[Period], load: TimedLoad) -> PricedPod:
    cpu_s = _cpu_s([history], load.begin_s + WINDOW_S, load.end_s - WINDOW_S)
    memory = {
        period: fmean(values)
        for period, begin_s, end_s in periods
        if (values := [value for at_s, value in history.memory if begin_s <= at_s <= end_s])
    }
    return PricedPod(
        namespace=namespace,
        pod=name,
        cpu=None if cpu_s is None else cpu_s / (load.end_s - load.begin_s - 2 * WINDOW_S),
        memory=memory,
        restarts=history.restarts,
        growth=_growth(history, begin_s=load.begin_s + WARMING * (load.end_s - load.begin_s), end_s=load.end_s),
    )


def _growth(history: PodHistory, *, begin_s: float, end_s: float) -> MemoryGrowth | None:
    """Return the growth in the longest time between two restarts, in which nothing is released; in bytes an hour."""
    ends = [begin_s, *(restart_s for restart_s in history.restarted_s if begin_s < restart_s < end_s), end_s]
    lives = [[point for point in history.memory if begin <= point[0] <= end] for begin, end in pairwise(ends)]
    longest: list[Point] = max(lives, key=_length)
    estimate = growth([at_s for at_s, _ in longest], [value for _, value in longest], confidence=CONFIDENCE)
    if estimate is None:
        return None
    return MemoryGrowth(
        mean=estimate.mean * HOUR_S,
        low=estimate.low * HOUR_S,
        high=estimate.high * HOUR_S,
        first=estimate.first * HOUR_S,
        second=estimate.second * HOUR_S,
        seconds=_length(longest),
    )


def _length(points: Sequence[Point]) -> float:
    return points[-1][0] - points[0][0] if points else 0.0
