"""A finished measurement of a profile, ready to be judged: from recordings to measurements and verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from acceptance.judging.limit import Caution, decide_comparison, decide_limit, judge, judge_comparison
from acceptance.judging.outcome import Decision, not_judged, verdict_id
from acceptance.limits.tiers import ComparisonRule, Limit
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.loads.size_rule import SIZE_IN_SECONDS, SmallFile, small_file
from acceptance.measuring.batches import loaded_s, seconds_of
from acceptance.measuring.distribution import distribution
from acceptance.measuring.measure import BySegment, Recording
from acceptance.measuring.metric_values import (
    batch_parts,
    metric_estimate,
    metric_value,
    shown_metrics,
    stall_estimate,
)
from acceptance.measuring.stalls import LOOK_S, WORTH_TELLING_S, Stall, longest_stall, stood_still
from acceptance.results.document import Estimate, Measurement, RelativeEstimate, Verdict
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan, Look
from acceptance.statistics.intervals import Part
from acceptance.statistics.ratios import Ratio, Round, ratio
from acceptance.text.quantities import format_quantity

SHOWN_CONFIDENCE = 0.95
RARE_S = 30
"""seconds of load before a limit on a percentile is decided"""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One profile measured on a candidate class, and on the baseline class in turn with it where there is one."""

    candidate: Recording
    baseline: Recording | None
    plan: AnalysisPlan

    def against(self, limit: Limit | Profile) -> Verdict:
        """The verdict on a limit of the tier; for a profile without limits, its figures and no verdict."""
        if isinstance(limit, Profile):
            return self._unjudged()
        return judge_limit(self.candidate.samples, limit, plan=self.plan, storage_class=self.candidate.storage_class)

    def _unjudged(self) -> Verdict:
        """The reason holds what was measured."""
        metrics = self.measurements[0].metrics
        shown = ", ".join(
            f"{path} {format_quantity(each.mean, unit=each.unit)}"
            for path, each in metrics.items()
            if path.endswith((".iops", ".mean"))
        )
        name = self.candidate.profile.name
        return not_judged(
            verdict_id(self.candidate.storage_class, name, "none", "none"),
            storage_class=self.candidate.storage_class,
            profile=name,
            reason=f"{name} on {self.candidate.storage_class}: measured ({shown}), not judged: the tier has no limit "
            f"for this profile; to judge it add one to the limits file under limits: {name}:",
        )

    def compared(self, rule: ComparisonRule) -> Verdict:
        """The verdict on a comparison rule. Raises ValueError where there is no baseline."""
        if self.baseline is None:
            raise ValueError("wanted a measurement with a baseline, found none")
        found, caution = _ratio_seen(self.candidate.samples, self.baseline.samples, rule, plan=self.plan)
        return judge_comparison(
            found,
            rule,
            storage_class=self.candidate.storage_class,
            baseline_class=self.baseline.storage_class,
            remark=self._cache_remark(rule),
            caution=caution,
        )

    def _cache_remark(self, rule: ComparisonRule) -> str:
        """What the size of the file says about reads that are answered too soon; nothing for other rules."""
        if rule.metric.direction != "read" or rule.metric.unit != "s" or rule.kind != "not_better_than_baseline_by":
            return ""
        small = _small_file(self.candidate, directions=("read",))
        return f"{small.describe()}, so a cache can have served it: {small.remedy}" if small else ""

    @property
    def measurements(self) -> list[Measurement]:
        """The records of the report: of the candidate, and of the baseline where there is one."""
        if self.baseline is None:
            return [_measurement(self.candidate, plan=self.plan)]
        baseline = _measurement(self.baseline, plan=self.plan)
        candidate = _measurement(self.candidate, plan=self.plan, compared_with=baseline.id)
        relative = _against_baseline(self.candidate.samples, self.baseline.samples, plan=self.plan)
        return [candidate.model_copy(update={"against_baseline": relative}), baseline]


def decided(
    limits: Sequence[Limit],
    rules: Sequence[ComparisonRule],
    candidate: BySegment,
    baseline: BySegment | None,
    *,
    plan: AnalysisPlan,
) -> bool:
    """Whether every limit and rule would now be judged pass or fail: then there is nothing left to measure for."""
    decisions: list[Decision] = []
    stalls_count = plan.at(loaded_s(candidate)).early or any(each.metric.statistic == "longest" for each in limits)
    stall = longest_stall(candidate) if stalls_count else None
    for limit in limits:
        estimate, caution = _estimate_seen(candidate, limit, plan=plan, stall=stall)
        decisions.append(decide_limit(estimate, limit, caution=caution))
    if baseline is not None:
        for rule in rules:
            found, caution = _ratio_seen(candidate, baseline, rule, plan=plan)
            decisions.append(decide_comparison(found, rule, caution=caution))
    return bool(decisions) and "inconclusive" not in decisions


def judge_limit(samples: BySegment, limit: Limit, *, plan: AnalysisPlan, storage_class: str) -> Verdict:
    """The verdict on a limit from samples, with the confidence that the plan gives to each look."""
    stall = longest_stall(samples)
    estimate, caution = _estimate_seen(samples, limit, plan=plan, stall=stall)
    return judge(estimate, limit, storage_class=storage_class, remark=_stall_remark(stall), caution=caution)


def _estimate_seen(
    samples: BySegment, limit: Limit, *, plan: AnalysisPlan, stall: Stall | None
) -> tuple[Estimate | None, Caution]:
    """What the samples, with their longest stall, say of the limit's metric, and what that is worth at this look."""
    look = plan.at(loaded_s(samples))
    caution = _caution(limit.metric, [stall], look=look, beyond=look.beyond, goes_on=_goes_on([samples], plan=plan))
    if limit.metric.percentile is not None and look.seconds < RARE_S and not plan.is_whole(look.seconds):
        caution = Caution(beyond=math.inf)  # slow seconds may not have come yet, or too many of them
    if limit.metric.statistic != "longest":
        return metric_estimate(limit.metric, samples, plan=plan, confidence=look.confidence), caution
    if limit.at_most is not None:
        # A load that was shorter than what it may stand still for could hardly have missed the limit.
        long_enough = look.seconds >= min(limit.at_most, plan.cap)
        caution = replace(caution, may_pass=caution.may_pass and long_enough)
    return stall_estimate(stall, limit.metric, samples, confidence=look.confidence), caution


def _ratio_seen(
    candidate: BySegment, baseline: BySegment, rule: ComparisonRule, *, plan: AnalysisPlan
) -> tuple[Ratio, Caution]:
    """What the samples of both say of the rule's metric, and what that is worth at this look."""
    look = plan.at(loaded_s(candidate))
    stalls = [longest_stall(each) for each in (candidate, baseline)] if look.early else []
    goes_on = _goes_on([candidate, baseline], plan=plan)
    caution = _caution(rule.metric, stalls, look=look, beyond=look.ratio_beyond, goes_on=goes_on)
    return metric_ratio(rule.metric, candidate, baseline, plan=plan), caution


def _goes_on(classes: Sequence[BySegment], *, plan: AnalysisPlan) -> bool:
    """Whether a class stood still, and was not yet loaded for as long as it can be: only then it is known how often."""
    return any(stood_still(segments) and not plan.is_whole(loaded_s(segments)) for segments in classes)


def _caution(metric: Metric, stalls: Sequence[Stall | None], *, look: Look, beyond: float, goes_on: bool) -> Caution:
    """What the look asks beyond an interval; `stalls`: the longest of each class, where the look is an early one.

    `beyond`: the factor that it asks for of what is judged.

    A class that stalled for a second of an early look can do so for most of it, and be sound: nothing is decided. The
    same holds at any look but the last for one that stood still (`goes_on`).
    """
    still = goes_on or any(stall is not None and stall.at_least >= LOOK_S for stall in stalls if look.early)
    may_pass = not (still or (look.early and metric.is_of_the_rare))
    return Caution(beyond=math.inf if still else beyond, may_pass=may_pass)


def _stall_remark(stall: Stall | None) -> str:
    """What a long stall says about any limit that is missed or nearly so; nothing where there was none."""
    return stall.describe() if stall is not None and stall.at_least >= WORTH_TELLING_S else ""


def metric_ratio(
    metric: Metric,
    candidate: BySegment,
    baseline: BySegment,
    *,
    plan: AnalysisPlan,
    confidence: float | None = None,
) -> Ratio:
    """Candidate / baseline of a metric, from batches of the same round; at that of the plan's look if at no other."""
    look = plan.at(loaded_s(candidate))
    confidence = confidence or look.confidence
    ours = batch_parts(metric, candidate, plan=plan)
    theirs = batch_parts(metric, baseline, plan=plan)
    if ours is None or theirs is None:
        problem = f"there is no {metric} in some part of the measurement"
        return Ratio(value=None, low=None, high=None, samples=0, confidence=confidence, problem=problem)
    rounds = [
        Round(baseline=_values(first[: len(second)]), candidate=_values(second[: len(first)]))
        for first, second in zip(theirs, ours, strict=True)
    ]
    return ratio(rounds, confidence=confidence, correlation=look.batch_correlation)


def _values(parts: Sequence[Part]) -> list[float]:
    return [part.amount / part.weight for part in parts]


def _measurement(recording: Recording, *, plan: AnalysisPlan, compared_with: str | None = None) -> Measurement:
    metrics = shown_metrics(recording.samples)
    estimates = {
        metric.path: metric_estimate(metric, recording.samples, plan=plan, confidence=SHOWN_CONFIDENCE)
        for metric in metrics
    }
    rates = [metric for metric in metrics if metric.statistic == "iops"]
    seconds = [sample for segment in recording.samples for sample in segment]
    return Measurement(
        id="/".join(filter(None, (recording.storage_class, recording.profile.name, recording.role, recording.beside))),
        profile=recording.profile.name,
        storage_class=recording.storage_class,
        role=recording.role,
        node=recording.volume.node,
        pods=[segment.pod for segment in recording.segments],
        started=recording.segments[0].started,
        duration_s=sum(sample.duration_s for sample in seconds),
        fio_version=recording.segments[0].fio_version,
        metrics={path: estimate for path, estimate in estimates.items() if estimate is not None},
        series={rate.path: _by_the_second(rate, seconds) for rate in rates},
        warnings=_warnings(recording),
        compared_with=compared_with,
        distribution=distribution(recording.samples),
    )


def _by_the_second(rate: Metric, samples: Sequence[Sample]) -> list[float]:
    """What is drawn: the rate in each second, so that a sample of nine seconds is nine of them."""
    return [metric_value(rate, [sample]) or 0.0 for sample in samples for _ in range(seconds_of([sample]))]


def _against_baseline(candidate: BySegment, baseline: BySegment, *, plan: AnalysisPlan) -> dict[str, RelativeEstimate]:
    """Each metric that is worth showing of both, and has a ratio."""
    found: dict[str, RelativeEstimate] = {}
    for metric in shown_metrics(candidate):
        if metric.statistic == "longest":
            continue
        each = metric_ratio(metric, candidate, baseline, plan=plan, confidence=SHOWN_CONFIDENCE)
        if each.value is not None and each.low is not None and each.high is not None:
            found[metric.path] = RelativeEstimate(
                ratio=each.value, low=each.low, high=each.high, confidence=each.confidence
            )
    return found


def _warnings(recording: Recording) -> list[str]:
    small = _small_file(recording, directions=("read", "write"))
    return (
        [f"{small.describe()}, less than {SIZE_IN_SECONDS} s: caches may have helped; {small.remedy}"] if small else []
    )


def _small_file(recording: Recording, *, directions: Sequence[str]) -> SmallFile | None:
    seconds = [sample for segment in recording.samples for sample in segment]
    bandwidth = max(metric_value(Metric.parse(f"{each}.bandwidth"), seconds) or 0.0 for each in directions)
    return small_file(recording.profile.text, test_size=recording.volume.test_size, bandwidth=bandwidth)
