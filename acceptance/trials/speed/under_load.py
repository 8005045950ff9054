"""What a profile can do on a class, and how long its operations take at shares of that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate

from acceptance.judging.under_load import is_known
from acceptance.limits.limit import Limit
from acceptance.limits.under_load import UNDER_LOAD
from acceptance.loads.fio.rate_limit import only_direction, rate_limited
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.batches import loaded_s
from acceptance.measuring.measure import BySegment, Recording
from acceptance.measuring.metric_values import metric_estimate
from acceptance.measuring.rate_share import share_of_rate
from acceptance.measuring.stalls import WORTH_TELLING_S, longest_stall
from acceptance.measuring.windows import TimedSample, Window
from acceptance.results.document import Estimate
from acceptance.results.metrics import Metric
from acceptance.results.under_load import ShareRecord, Span, UnderLoadRecord
from acceptance.statistics.interim_analyses import MINUTE_S, AnalysisPlan, going_on
from acceptance.text.errors import WrongUsage
from acceptance.trials.speed.records import small_file_warnings

SHARES = (0.1, 0.5, 0.8, 0.9)
"""of the capacity, that are always measured; those of limits beside them"""
STATISTICS = ("p50", "p99", "p99.9")
A_MINUTE = AnalysisPlan(seconds=(MINUTE_S,))


def shares_of(limits: Sequence[Limit]) -> list[float]:
    """All that are measured, the lowest first."""
    return sorted({*SHARES, *(limit.at["of_capacity"] for limit in limits)})


def judged_plan(longest_s: float) -> AnalysisPlan:
    """The looks at the capacity, and at a share that a limit names: at a minute, and while open until `longest_s`."""
    return going_on(A_MINUTE, longest_s=longest_s, turn_s=0)


def rate_of(profile: Profile, limits: Sequence[Limit]) -> Metric:
    """The rate that is limited: fio limits reads and writes each by itself, so there may be one kind of them only.

    Raises WrongUsage for other profiles.
    """
    direction = only_direction(profile)
    if direction is None:
        raise WrongUsage(
            f"profile {profile.path}: wanted one fio job that only reads or only writes, found one that mixes them, or "
            f"several; remove its limits under {_sections(limits)}"
        )
    for limit in limits:
        if (limit.metric.direction == "read") != (direction == "read"):
            raise WrongUsage(
                f"profile {profile.path}: wanted limits under {_sections([limit])} on what it does ({direction}), found "
                f"{limit.metric}; correct the metric"
            )
    return Metric.parse(f"{direction}.iops")


def latencies_of(rate: Metric, limits: Sequence[Limit]) -> list[Metric]:
    """All that are measured beside the rate: those that are always shown, and those that the limits are on."""
    shown = (Metric.parse(f"{rate.direction}.latency.{statistic}") for statistic in STATISTICS)
    return list({each.path: each for each in (*shown, *(limit.metric for limit in limits))}.values())


def _sections(limits: Sequence[Limit]) -> str:
    """Where the limits stand."""
    found = {limit.section for limit in limits}
    return " and ".join(f"{each}:" for each in sorted(found or {UNDER_LOAD.key}))


def limited_form(profile: Profile, limits: Sequence[Limit]) -> Profile:
    """The profile as it is run at shares. Raises WrongUsage for one that cannot be."""
    return rate_limited(profile, metric=rate_of(profile, limits))


def share_record(
    samples: BySegment, *, share: float, asked: int, rate: Metric, metrics: Sequence[Metric], plan: AnalysisPlan
) -> ShareRecord:
    """What a load at a share has shown so far; `metrics`: the latencies that count."""
    look = plan.at(loaded_s(samples))
    timed = _timed([each for segment in samples for each in segment])
    window = Window(start_s=0.0, end_s=timed[-1].end_s)
    return ShareRecord(
        share=share,
        asked=asked,
        reached=share_of_rate(
            timed,
            metric=rate,
            rate=asked,
            window=window,
            length_s=look.batch_s,
            confidence=look.confidence,
            correlation=look.batch_correlation,
        ),
        latencies=_spans(metrics, samples, plan=plan, confidence=look.confidence),
        confidence=look.confidence,
        duration_s=window.length_s,
        warnings=stall_warnings(samples),
    )


def capacity_of(samples: BySegment, *, rate: Metric, plan: AnalysisPlan) -> Span | None:
    """What a volume can do, as far as it is known from these samples of a load without a limit."""
    confidence = plan.at(loaded_s(samples)).confidence
    return _spans([rate], samples, plan=plan, confidence=confidence).get(rate.path)


def _timed(samples: Sequence[Sample]) -> list[TimedSample]:
    """The samples of a load by its own clock."""
    ends = accumulate(each.duration_s for each in samples)
    return [TimedSample(end_s=end_s, sample=sample) for end_s, sample in zip(ends, samples, strict=True)]


def _spans(metrics: Sequence[Metric], samples: BySegment, *, plan: AnalysisPlan, confidence: float) -> dict[str, Span]:
    found = {metric.path: metric_estimate(metric, samples, plan=plan, confidence=confidence) for metric in metrics}
    return {path: _span(each) for path, each in found.items() if each is not None}


def _span(estimate: Estimate) -> Span:
    return Span(mean=estimate.mean, low=estimate.low, high=estimate.high)


def stall_warnings(samples: BySegment) -> list[str]:
    """Of the longest stall, where it is worth telling."""
    stall = longest_stall(samples)
    return [stall.describe()] if stall is not None and stall.at_least >= WORTH_TELLING_S else []


class UnderLoad:
    """The loads of one profile on one class, one after the other: all that it can do, and then shares of it.

    `load` runs one of them: see `SpeedRunner.whole_load`. `decided` tells of a load at a share whether all of the
    `limits` that name it are decided; `judged`: the looks at such a share and at
    the capacity, `unjudged` those at others.
    """

    def __init__(
        self,
        load: Callable[..., Recording],
        profile: Profile,
        *,
        limits: Sequence[Limit],
        decided: Callable[[ShareRecord, Limit], bool],
        judged: AnalysisPlan,
        unjudged: AnalysisPlan,
    ) -> None:
        self._load = load
        self._profile = profile
        self._limits = limits
        self._decided = decided
        self._judged = judged
        self._unjudged = unjudged
        self._rate = rate_of(profile, limits)
        self._metrics = latencies_of(self._rate, limits)

    def record(self, *, cache: int | None) -> UnderLoadRecord:
        """Load it. `cache`: bytes that the storage's own cache holds, as known. Raises what the load raises."""
        plan = self._judged
        capacity = self._load(
            self._profile, plan=plan, name="capacity", decided=lambda seen: is_known(self._capacity(seen))
        )
        samples, found = capacity.samples, self._capacity(capacity.samples)
        confidence = plan.at(loaded_s(samples)).confidence
        sure = 0.0 if found is None else found.mean if found.low is None else max(0.0, found.low)
        return UnderLoadRecord(
            profile=self._profile.name,
            storage_class=capacity.storage_class,
            node=capacity.volume.node,
            metric=self._rate.path,
            capacity=found,
            sure=sure,
            confidence=confidence,
            at_capacity=_spans(self._metrics, samples, plan=plan, confidence=confidence),
            shares=[self._at(share, sure=sure) for share in shares_of(self._limits) if share * sure >= 1],
            test_size=capacity.volume.test_size,
            cache=cache,
            warnings=[*small_file_warnings(capacity), *stall_warnings(samples)],
        )

    def _capacity(self, samples: BySegment) -> Span | None:
        """What the volume can do, as far as it is known so far."""
        return capacity_of(samples, rate=self._rate, plan=self._judged)

    def _at(self, share: float, *, sure: float) -> ShareRecord:
        limits = [limit for limit in self._limits if limit.at["of_capacity"] == share]
        plan, asked = self._judged if limits else self._unjudged, math.floor(share * sure)

        def seen(samples: BySegment) -> ShareRecord:
            return share_record(samples, share=share, asked=asked, rate=self._rate, metrics=self._metrics, plan=plan)

        def decided(samples: BySegment) -> bool:
            at = seen(samples)
            return bool(limits) and all(self._decided(at, limit) for limit in limits)

        recording = self._load(
            limited_form(self._profile, self._limits),
            plan=plan,
            name=f"at-{share * 100:g}-percent",
            rate=asked,
            decided=decided,
        )
        return seen(recording.samples)
