"""The capacity of a volume under a profile, and the latency of its operations at shares of that capacity."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate

from acceptance.judging.under_load import is_known
from acceptance.limits.limit import Limit
from acceptance.limits.under_load import UNDER_LOAD
from acceptance.loads.fio.rate_limit import limit_rate, only_direction
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
"""Shares of the capacity that are always measured, in addition to those of limits."""
STATISTICS = ("p50", "p99", "p99.9")
A_MINUTE = AnalysisPlan(seconds=(MINUTE_S,))


def shares_of(limits: Sequence[Limit]) -> list[float]:
    """Return all shares that are measured, in ascending order."""
    return sorted({*SHARES, *(limit.at["of_capacity"] for limit in limits)})


def judged_plan(longest_s: float) -> AnalysisPlan:
    """Return the plan for the capacity, and for a share that a limit names.

    It has an interim analysis at a minute, and further ones until `longest_s` while the verdict is undecided.
    """
    return going_on(A_MINUTE, longest_s=longest_s, turn_s=0)


def rate_of(profile: Profile, limits: Sequence[Limit]) -> Metric:
    """Return the rate that is limited: fio limits reads and writes separately, so a profile may have only one of them.

    Raises WrongUsage for other profiles.
    """
    direction = only_direction(profile)
    if direction is None:
        raise WrongUsage(
            f"profile {profile.path}: expected one fio job that only reads or only writes, found one that mixes them, "
            f"or several; remove its limits under {_sections(limits)}"
        )
    for limit in limits:
        if (limit.metric.direction == "read") != (direction == "read"):
            raise WrongUsage(
                f"profile {profile.path}: expected limits under {_sections([limit])} on its direction ({direction}), "
                f"found {limit.metric}; correct the metric"
            )
    return Metric.parse(f"{direction}.iops")


def latencies_of(rate: Metric, limits: Sequence[Limit]) -> list[Metric]:
    """Return the latencies that are measured with the rate: those that are always shown, and those of the limits."""
    shown_metrics = (Metric.parse(f"{rate.direction}.latency.{statistic}") for statistic in STATISTICS)
    return list({metric.path: metric for metric in (*shown_metrics, *(limit.metric for limit in limits))}.values())


def _sections(limits: Sequence[Limit]) -> str:
    """Return the names of the sections that hold the limits."""
    names = {limit.section for limit in limits}
    return " and ".join(f"{name}:" for name in sorted(names or {UNDER_LOAD.key}))


def limited_form(profile: Profile, limits: Sequence[Limit]) -> Profile:
    """Return the profile as it runs at shares. Raises WrongUsage if it cannot."""
    return limit_rate(profile, metric=rate_of(profile, limits))


def share_record(
    samples: BySegment, *, share: float, target: int, rate: Metric, metrics: Sequence[Metric], plan: AnalysisPlan
) -> ShareRecord:
    """Return the record of a load at a share so far.

    `target`: operations per second that the load requests; `metrics`: the latencies that count.
    """
    look = plan.at(loaded_s(samples))
    timed_samples = _with_times([sample for segment in samples for sample in segment])
    window = Window(start_s=0.0, end_s=timed_samples[-1].end_s)
    return ShareRecord(
        share=share,
        asked=target,
        reached=share_of_rate(
            timed_samples,
            metric=rate,
            rate=target,
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
    """Return the capacity of a volume, as far as these samples of an unlimited load tell; None if they do not."""
    confidence = plan.at(loaded_s(samples)).confidence
    return _spans([rate], samples, plan=plan, confidence=confidence).get(rate.path)


def _with_times(samples: Sequence[Sample]) -> list[TimedSample]:
    """Return the samples of a load with their ends on its own clock."""
    ends = accumulate(sample.duration_s for sample in samples)
    return [TimedSample(end_s=end_s, sample=sample) for end_s, sample in zip(ends, samples, strict=True)]


def _spans(metrics: Sequence[Metric], samples: BySegment, *, plan: AnalysisPlan, confidence: float) -> dict[str, Span]:
    estimates = {metric.path: metric_estimate(metric, samples, plan=plan, confidence=confidence) for metric in metrics}
    return {path: _span(estimate) for path, estimate in estimates.items() if estimate is not None}


def _span(estimate: Estimate) -> Span:
    return Span(mean=estimate.mean, low=estimate.low, high=estimate.high)


def stall_warnings(samples: BySegment) -> list[str]:
    """Return the warning of the longest stall, if that is worth reporting."""
    stall = longest_stall(samples)
    return [stall.describe()] if stall is not None and stall.at_least >= WORTH_TELLING_S else []


class UnderLoad:
    """The loads of one profile on one class, one after the other: its capacity first, and then shares of it.

    `load` runs one of them: see `SpeedRunner.whole_load`. `is_decided` returns whether a load at a share decides one of
    the `limits` that name the share; `judged_load_plan`: the interim analyses of the capacity and of such a share,
    `unjudged_load_plan`: those of other shares.
    """

    def __init__(
        self,
        load: Callable[..., Recording],
        profile: Profile,
        *,
        limits: Sequence[Limit],
        is_decided: Callable[[ShareRecord, Limit], bool],
        judged_load_plan: AnalysisPlan,
        unjudged_load_plan: AnalysisPlan,
    ) -> None:
        self._load = load
        self._profile = profile
        self._limits = limits
        self._is_decided = is_decided
        self._judged_load_plan = judged_load_plan
        self._unjudged_load_plan = unjudged_load_plan
        self._rate = rate_of(profile, limits)
        self._metrics = latencies_of(self._rate, limits)

    def record(self, *, cache: int | None) -> UnderLoadRecord:
        """Run the loads, and return their record. `cache`: bytes of the storage's own cache, if known.

        Raises what a load raises.
        """
        plan = self._judged_load_plan
        capacity = self._load(
            self._profile, plan=plan, name="capacity", is_decided=lambda samples: is_known(self._capacity(samples))
        )
        samples, span = capacity.samples, self._capacity(capacity.samples)
        confidence = plan.at(loaded_s(samples)).confidence
        sure = 0.0 if span is None else span.mean if span.low is None else max(0.0, span.low)
        return UnderLoadRecord(
            profile=self._profile.name,
            storage_class=capacity.storage_class,
            node=capacity.volume.node,
            metric=self._rate.path,
            capacity=span,
            sure=sure,
            confidence=confidence,
            at_capacity=_spans(self._metrics, samples, plan=plan, confidence=confidence),
            shares=[self._at(share, sure=sure) for share in shares_of(self._limits) if share * sure >= 1],
            test_size=capacity.volume.test_size,
            cache=cache,
            warnings=[*small_file_warnings(capacity), *stall_warnings(samples)],
        )

    def _capacity(self, samples: BySegment) -> Span | None:
        """Return the capacity of the volume, as far as it is known."""
        return capacity_of(samples, rate=self._rate, plan=self._judged_load_plan)

    def _at(self, share: float, *, sure: float) -> ShareRecord:
        limits = [limit for limit in self._limits if limit.at["of_capacity"] == share]
        plan, target = self._judged_load_plan if limits else self._unjudged_load_plan, math.floor(share * sure)

        def record_of(samples: BySegment) -> ShareRecord:
            return share_record(samples, share=share, target=target, rate=self._rate, metrics=self._metrics, plan=plan)

        def is_decided(samples: BySegment) -> bool:
            at = record_of(samples)
            return bool(limits) and all(self._is_decided(at, limit) for limit in limits)

        recording = self._load(
            limited_form(self._profile, self._limits),
            plan=plan,
            name=f"at-{share * 100:g}-percent",
            rate=target,
            is_decided=is_decided,
        )
        return record_of(recording.samples)
