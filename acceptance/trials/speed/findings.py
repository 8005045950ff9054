"""A finished measurement of a profile, ready to be judged: from recordings to measurements and verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from acceptance.judging.limit import Caution, decide_comparison, decide_limit, judge, judge_comparison
from acceptance.judging.outcome import verdict_id, without_limit
from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.batches import loaded_s
from acceptance.measuring.measure import BySegment, Recording
from acceptance.measuring.metric_ratio import metric_ratio
from acceptance.measuring.metric_values import metric_estimate, stall_estimate
from acceptance.measuring.rest import is_in_a_lull, rest_effect
from acceptance.measuring.slowing import Slowing, judged_part, slowing
from acceptance.measuring.stalls import LOOK_S, WORTH_TELLING_S, Stall, longest_stall, stood_still
from acceptance.results.document import Estimate, Measurement, Verdict
from acceptance.results.metrics import Metric
from acceptance.results.requirement import Decision, Outcome
from acceptance.statistics.interim_analyses import AnalysisPlan, Look
from acceptance.statistics.ratios import Ratio
from acceptance.trials.speed.records import against_baseline, measurement_of, relative, small_file_of
from acceptance.trials.speed.turns import Turns, faster_after_rest, faster_when_it_rests

RARE_S = 30
"""Seconds of load before a limit on a percentile is decided."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One profile measured on a candidate class without a pause, and in turn with the baseline if there is one."""

    candidate: Recording
    plan: AnalysisPlan
    turns: Turns | None = None

    def against(self, limit: Limit | Profile) -> Verdict:
        """Return the verdict on a limit of the tier; for a profile without limits, its figures and no verdict."""
        if isinstance(limit, Profile):
            return self._unjudged_verdict()
        return judge_limit(
            self.candidate.samples,
            limit,
            plan=self.plan,
            storage_class=self.candidate.storage_class,
            beside=self._in_turn,
        )

    @property
    def _in_turn(self) -> BySegment:
        """The candidate's samples from the load in turn with the baseline."""
        return self.turns.candidate.samples if self.turns else ()

    def _unjudged_verdict(self) -> Verdict:
        metrics = self.measurements[0].metrics
        figures = {path: estimate.mean for path, estimate in metrics.items() if path.endswith((".iops", ".mean"))}
        name = self.candidate.profile.name
        return without_limit(
            verdict_id(self.candidate.storage_class, name, "none", "none"),
            storage_class=self.candidate.storage_class,
            profile=name,
            finding=Outcome(code="speed.unlimited", facts={"metrics": dict(figures)}),
        )

    def compare(self, rule: Limit) -> Verdict:
        """Return the verdict on a comparison rule. Raises ValueError if there is no baseline."""
        if self.turns is None:
            raise ValueError("expected a measurement with a baseline, found none")
        baseline = self.turns.baseline
        plan, alone = self.turns.plan, self.candidate.samples
        ratio, caution = ratio_seen(rule.metric, self._in_turn, baseline.samples, plan=plan, alone=alone)
        return judge_comparison(
            ratio,
            rule,
            storage_class=self.candidate.storage_class,
            baseline_class=baseline.storage_class,
            remark="; ".join(filter(None, (self._cache_remark(rule), *self._rest_warnings))),
            caution=caution,
        )

    def _cache_remark(self, rule: Limit) -> str:
        """Return a remark on reads that a cache can have served because the file is small; empty for other rules."""
        if rule.metric.direction != "read" or rule.metric.unit != "s" or rule.rule != "not_better_than_baseline_by":
            return ""
        small = small_file_of(self.turns.candidate if self.turns else self.candidate, directions=("read",))
        return f"{small.describe()}, so a cache can have served it: {small.remedy}" if small else ""

    @property
    def measurements(self) -> list[Measurement]:
        """The records of the report: of the candidate, and of the baseline if there is one."""
        candidate = measurement_of(self.candidate, plan=self.plan, beside=self._in_turn)
        if self.turns is None:
            return [candidate]
        turns = self.turns
        baseline = measurement_of(turns.baseline, plan=turns.plan)
        rest_ratio = rest_effect(turns.candidate.samples, role="candidate", plan=turns.plan)
        changes = {
            "compared_with": baseline.id,
            "against_baseline": against_baseline(self._in_turn, turns.baseline.samples, plan=turns.plan),
            "after_rest": relative(rest_ratio),
            "warnings": [*candidate.warnings, *self._rest_warnings],
        }
        warnings = [*baseline.warnings, *faster_after_rest(turns.baseline, plan=turns.plan)]
        return [candidate.model_copy(update=changes), baseline.model_copy(update={"warnings": warnings})]

    @property
    def _rest_warnings(self) -> list[str]:
        """The warnings that the candidate is faster after idle time."""
        return [] if self.turns is None else faster_when_it_rests(self.turns, self.candidate, plan=self.plan)


def are_decided(
    limits: Sequence[Limit],
    rules: Sequence[Limit],
    candidate: BySegment,
    baseline: BySegment | None,
    *,
    plan: AnalysisPlan,
    alone: BySegment = (),
) -> bool:
    """Return whether every limit and rule would now be judged pass or fail: then the measurement can end.

    `alone`: the samples of a candidate that is compared, from its load without a pause.
    """
    decisions: list[Decision] = []
    stalls_count = plan.at(loaded_s(candidate)).early or any(limit.metric.statistic == "longest" for limit in limits)
    stall, slow = longest_stall(candidate) if stalls_count else None, slowing(candidate)
    for limit in limits:
        estimate, caution = _estimate_seen(candidate, limit, plan=plan, stall=stall, slow=slow)
        decisions.append(decide_limit(estimate, limit, caution=caution))
    if baseline is not None:
        for rule in rules:
            ratio, caution = ratio_seen(rule.metric, candidate, baseline, plan=plan, alone=alone)
            decisions.append(decide_comparison(ratio, rule, caution=caution))
    return bool(decisions) and "inconclusive" not in decisions


def judge_limit(
    samples: BySegment, limit: Limit, *, plan: AnalysisPlan, storage_class: str, beside: BySegment = ()
) -> Verdict:
    """Return the verdict on a limit from samples, with the confidence that the plan gives to each interim analysis.

    `beside`: the samples of other loads of the class. Only a stall counts there, because it happened.
    """
    stall, slow = longest_stall(samples), slowing(samples)
    estimate, caution = _estimate_seen(samples, limit, plan=plan, stall=stall, slow=slow)
    if limit.metric.statistic == "longest" and beside:
        stall = longest_stall([*samples, *beside])
        confidence = plan.at(loaded_s(samples)).confidence
        estimate = stall_estimate(stall, limit.metric, samples, confidence=confidence)
    remark = "; ".join(filter(None, (_stall_remark(stall), slow.describe() if slow else "")))
    return judge(estimate, limit, storage_class=storage_class, remark=remark, caution=caution)


def _estimate_seen(
    samples: BySegment, limit: Limit, *, plan: AnalysisPlan, stall: Stall | None, slow: Slowing | None
) -> tuple[Estimate | None, Caution]:
    """Return the estimate of the limit's metric at this interim analysis, and the caution with which it counts.

    `stall`, `slow`: the longest stall and the slowing of the samples.
    """
    look = plan.at(loaded_s(samples))
    caution = _caution(limit.metric, [stall], look=look, goes_on=_goes_on([samples], plan=plan))
    if limit.metric.percentile is not None and look.seconds < RARE_S and not plan.is_whole(look.seconds):
        caution = Caution(beyond=math.inf)  # slow seconds may still be missing, or be too frequent so far
    judged_samples = judged_part(samples, slow, plan=plan)
    if slow is not None and judged_samples is samples:
        caution = replace(caution, may_pass=False)  # it may slow down further
    if limit.metric.statistic != "longest":
        return metric_estimate(limit.metric, judged_samples, plan=plan, confidence=look.confidence), caution
    if limit.operator == "at_most":
        # A load shorter than the stall that the limit allows could hardly have missed the limit.
        long_enough = look.seconds >= min(limit.bound, plan.whole_s)
        caution = replace(caution, may_pass=caution.may_pass and long_enough)
    return stall_estimate(stall, limit.metric, samples, confidence=look.confidence), caution


def ratio_seen(
    metric: Metric, candidate: BySegment, baseline: BySegment, *, plan: AnalysisPlan, alone: BySegment = ()
) -> tuple[Ratio, Caution]:
    """Return candidate / baseline of a metric from samples of both, loaded in turn, and the caution for it."""
    look = plan.at(loaded_s(candidate))
    stalls = [longest_stall(samples) for samples in (candidate, baseline)] if look.early else []
    lull = is_in_a_lull(candidate, alone) and not plan.is_whole(loaded_s(candidate))
    goes_on = lull or _goes_on([candidate, baseline], plan=plan)
    caution = _caution(metric, stalls, look=look, goes_on=goes_on)
    return metric_ratio(metric, candidate, baseline, plan=plan), caution


def _goes_on(classes: Sequence[BySegment], *, plan: AnalysisPlan) -> bool:
    """Return whether a class stood still and was not yet loaded for a minute, after which its frequency is known."""
    return any(stood_still(segments) and not plan.is_whole(loaded_s(segments)) for segments in classes)


def _caution(metric: Metric, stalls: Sequence[Stall | None], *, look: Look, goes_on: bool) -> Caution:
    """Return what this analysis requires beyond an interval. `stalls`: the longest of each class, at an early one.

    A class that stalled for a second of an early analysis can do so for most of its time, and be sound: nothing is
    decided. This applies at any analysis before the minute to a class that stood still (`goes_on`).
    """
    still = goes_on or any(stall is not None and stall.at_least >= LOOK_S for stall in stalls if look.early)
    may_pass = not (still or (look.early and metric.is_of_the_rare))
    return Caution(beyond=math.inf if still else look.beyond, may_pass=may_pass)


def _stall_remark(stall: Stall | None) -> str:
    """Return a remark on a long stall for limits that are missed or nearly so; an empty string without one."""
    return stall.describe() if stall is not None and stall.at_least >= WORTH_TELLING_S else ""
