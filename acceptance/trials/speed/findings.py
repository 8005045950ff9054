"""A finished measurement of a profile, ready to be judged: from recordings to measurements and verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from acceptance.judging.limit import Caution, decide_comparison, decide_limit, judge, judge_comparison
from acceptance.judging.outcome import not_judged, verdict_id
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
"""seconds of load before a limit on a percentile is decided"""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One profile measured on a candidate class without a pause, and in turn with the baseline where there is one."""

    candidate: Recording
    plan: AnalysisPlan
    turns: Turns | None = None

    def against(self, limit: Limit | Profile) -> Verdict:
        """The verdict on a limit of the tier; for a profile without limits, its figures and no verdict."""
        if isinstance(limit, Profile):
            return self._unjudged()
        return judge_limit(
            self.candidate.samples,
            limit,
            plan=self.plan,
            storage_class=self.candidate.storage_class,
            beside=self._in_turn,
        )

    @property
    def _in_turn(self) -> BySegment:
        """What the candidate did in turn with the baseline."""
        return self.turns.candidate.samples if self.turns else ()

    def _unjudged(self) -> Verdict:
        metrics = self.measurements[0].metrics
        shown = {path: each.mean for path, each in metrics.items() if path.endswith((".iops", ".mean"))}
        name = self.candidate.profile.name
        return not_judged(
            verdict_id(self.candidate.storage_class, name, "none", "none"),
            storage_class=self.candidate.storage_class,
            profile=name,
            found=Outcome(code="speed.unlimited", facts={"metrics": dict(shown)}),
        )

    def compared(self, rule: Limit) -> Verdict:
        """The verdict on a comparison rule. Raises ValueError where there is no baseline."""
        if self.turns is None:
            raise ValueError("wanted a measurement with a baseline, found none")
        baseline = self.turns.baseline
        plan, alone = self.turns.plan, self.candidate.samples
        found, caution = ratio_seen(rule.metric, self._in_turn, baseline.samples, plan=plan, alone=alone)
        return judge_comparison(
            found,
            rule,
            storage_class=self.candidate.storage_class,
            baseline_class=baseline.storage_class,
            remark="; ".join(filter(None, (self._cache_remark(rule), *self._rest_warnings))),
            caution=caution,
        )

    def _cache_remark(self, rule: Limit) -> str:
        """What the size of the file says about reads that are answered too soon; nothing for other rules."""
        if rule.metric.direction != "read" or rule.metric.unit != "s" or rule.rule != "not_better_than_baseline_by":
            return ""
        small = small_file_of(self.turns.candidate if self.turns else self.candidate, directions=("read",))
        return f"{small.describe()}, so a cache can have served it: {small.remedy}" if small else ""

    @property
    def measurements(self) -> list[Measurement]:
        """The records of the report: of the candidate, and of the baseline where there is one."""
        candidate = measurement_of(self.candidate, plan=self.plan, beside=self._in_turn)
        if self.turns is None:
            return [candidate]
        turns = self.turns
        baseline = measurement_of(turns.baseline, plan=turns.plan)
        rested = rest_effect(turns.candidate.samples, role="candidate", plan=turns.plan)
        told = {
            "compared_with": baseline.id,
            "against_baseline": against_baseline(self._in_turn, turns.baseline.samples, plan=turns.plan),
            "after_rest": relative(rested),
            "warnings": [*candidate.warnings, *self._rest_warnings],
        }
        warnings = [*baseline.warnings, *faster_after_rest(turns.baseline, plan=turns.plan)]
        return [candidate.model_copy(update=told), baseline.model_copy(update={"warnings": warnings})]

    @property
    def _rest_warnings(self) -> list[str]:
        """That the candidate is faster when it rests."""
        return [] if self.turns is None else faster_when_it_rests(self.turns, self.candidate, plan=self.plan)


def decided(
    limits: Sequence[Limit],
    rules: Sequence[Limit],
    candidate: BySegment,
    baseline: BySegment | None,
    *,
    plan: AnalysisPlan,
    alone: BySegment = (),
) -> bool:
    """Whether every limit and rule would now be judged pass or fail: then there is nothing left to measure for.

    `alone`: what a candidate that is compared did without a pause.
    """
    decisions: list[Decision] = []
    stalls_count = plan.at(loaded_s(candidate)).early or any(each.metric.statistic == "longest" for each in limits)
    stall, slow = longest_stall(candidate) if stalls_count else None, slowing(candidate)
    for limit in limits:
        estimate, caution = _estimate_seen(candidate, limit, plan=plan, stall=stall, slow=slow)
        decisions.append(decide_limit(estimate, limit, caution=caution))
    if baseline is not None:
        for rule in rules:
            found, caution = ratio_seen(rule.metric, candidate, baseline, plan=plan, alone=alone)
            decisions.append(decide_comparison(found, rule, caution=caution))
    return bool(decisions) and "inconclusive" not in decisions


def judge_limit(
    samples: BySegment, limit: Limit, *, plan: AnalysisPlan, storage_class: str, beside: BySegment = ()
) -> Verdict:
    """The verdict on a limit from samples, with the confidence that the plan gives to each look.

    `beside`: what else the class was loaded with. Only a stall counts there, for it happened.
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
    """What the samples, with their longest stall and slowing, say of the limit's metric, and what that is worth now."""
    look = plan.at(loaded_s(samples))
    caution = _caution(limit.metric, [stall], look=look, goes_on=_goes_on([samples], plan=plan))
    if limit.metric.percentile is not None and look.seconds < RARE_S and not plan.is_whole(look.seconds):
        caution = Caution(beyond=math.inf)  # slow seconds may not have come yet, or too many of them
    judged = judged_part(samples, slow, plan=plan)
    if slow is not None and judged is samples:
        caution = replace(caution, may_pass=False)  # it may slow down further
    if limit.metric.statistic != "longest":
        return metric_estimate(limit.metric, judged, plan=plan, confidence=look.confidence), caution
    if limit.operator == "at_most":
        # A load that was shorter than what it may stand still for could hardly have missed the limit.
        long_enough = look.seconds >= min(limit.bound, plan.whole_s)
        caution = replace(caution, may_pass=caution.may_pass and long_enough)
    return stall_estimate(stall, limit.metric, samples, confidence=look.confidence), caution


def ratio_seen(
    metric: Metric, candidate: BySegment, baseline: BySegment, *, plan: AnalysisPlan, alone: BySegment = ()
) -> tuple[Ratio, Caution]:
    """Candidate / baseline of a metric from samples of both, loaded in turn, and what that is worth at this look."""
    look = plan.at(loaded_s(candidate))
    stalls = [longest_stall(each) for each in (candidate, baseline)] if look.early else []
    lull = is_in_a_lull(candidate, alone) and not plan.is_whole(loaded_s(candidate))
    goes_on = lull or _goes_on([candidate, baseline], plan=plan)
    caution = _caution(metric, stalls, look=look, goes_on=goes_on)
    return metric_ratio(metric, candidate, baseline, plan=plan), caution


def _goes_on(classes: Sequence[BySegment], *, plan: AnalysisPlan) -> bool:
    """Whether a class stood still, and was not yet loaded for a minute: only then it is known how often."""
    return any(stood_still(segments) and not plan.is_whole(loaded_s(segments)) for segments in classes)


def _caution(metric: Metric, stalls: Sequence[Stall | None], *, look: Look, goes_on: bool) -> Caution:
    """What the look asks beyond an interval; `stalls`: the longest of each class, where the look is an early one.

    A class that stalled for a second of an early look can do so for most of it, and be sound: nothing is decided. The
    same holds at any look before the minute for one that stood still (`goes_on`).
    """
    still = goes_on or any(stall is not None and stall.at_least >= LOOK_S for stall in stalls if look.early)
    may_pass = not (still or (look.early and metric.is_of_the_rare))
    return Caution(beyond=math.inf if still else look.beyond, may_pass=may_pass)


def _stall_remark(stall: Stall | None) -> str:
    """What a long stall says about any limit that is missed or nearly so; nothing where there was none."""
    return stall.describe() if stall is not None and stall.at_least >= WORTH_TELLING_S else ""
