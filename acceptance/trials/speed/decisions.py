"""The decisions on limits and rules at an interim analysis, and the final verdicts: pure, from samples alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from acceptance.judging.limit import Caution, VisitFacts, decide_comparison, decide_limit, judge
from acceptance.limits.limit import Limit
from acceptance.measuring.batches import loaded_s
from acceptance.measuring.lasting import Slowing, judged_part, slowing
from acceptance.measuring.measure import BySegment
from acceptance.measuring.metric_ratio import metric_ratio
from acceptance.measuring.metric_values import metric_estimate, stall_estimate
from acceptance.measuring.rest import is_in_a_lull
from acceptance.measuring.stalls import LOOK_S, WORTH_TELLING_S, Stall, longest_stall, stood_still
from acceptance.measuring.visits import Spread, across_visits, visit_figures
from acceptance.results.document import Estimate, Verdict
from acceptance.results.metrics import Metric
from acceptance.results.requirement import Decision
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.looks import Look
from acceptance.statistics.ratios import Ratio

ENOUGH_VISITS = 3
"""The visits that show whether further ones may decide a limit."""
UNSTEADY = 0.05
"""The standard deviation between visits from which on a class is called unsteady."""
RARE_S = 30
"""Seconds of load before a limit on a percentile is decided."""


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """A load without turns at an interim analysis: its samples, the part that is judged, and what happened in it."""

    samples: BySegment
    judged: BySegment
    plan: AnalysisPlan
    look: Look
    spread: Spread | None
    stall: Stall | None
    slow: Slowing | None

    def caution(self, limit: Limit) -> Caution:
        """Return the caution with which the load counts for a limit."""
        metric, look = limit.metric, self.look
        caution = _caution(metric, [self.stall], look=look, goes_on=_goes_on([self.samples], plan=self.plan))
        if metric.statistic == "longest":
            # A load shorter than the stall that the limit allows could hardly have missed the limit.
            long_enough = limit.operator != "at_most" or look.seconds >= min(limit.bound, self.plan.whole_s)
            slower = self.slow is not None and self.judged is self.samples
            return replace(caution, may_pass=caution.may_pass and long_enough and not slower)
        if metric.percentile is not None and look.seconds < RARE_S and not self.plan.is_whole(look.seconds):
            caution = Caution(beyond=math.inf)  # slow seconds may still be missing, or be too frequent so far
        if self.slow is not None and self.judged is self.samples:
            caution = replace(caution, may_pass=False)  # it may slow down further
        return replace(caution, may_fail=look.may_fail)  # else it may be warming up

    def within(self, limit: Limit) -> Estimate | None:
        """Return the estimate whose interval comes from the variance within visits alone."""
        confidence = self.look.confidence
        if limit.metric.statistic == "longest":
            return stall_estimate(self.stall, limit.metric, self.samples, confidence=confidence)
        return metric_estimate(limit.metric, self.judged, plan=self.plan, confidence=confidence)

    def estimate(self, limit: Limit) -> Estimate | None:
        """Return the estimate of the limit's metric."""
        within = self.within(limit)
        if limit.metric.statistic == "longest":
            return within
        return across_visits(within, limit.metric, self.judged, spread=self.spread)

    def decide(self, limit: Limit) -> Decision:
        """Return the decision at this analysis."""
        return decide_limit(self.estimate(limit), limit, caution=self.caution(limit))


def _seen(samples: BySegment, *, plan: AnalysisPlan, spread: Spread | None) -> _Seen:
    slow = slowing(samples)
    return _Seen(
        samples=samples,
        judged=judged_part(samples, slow, plan=plan),
        plan=plan,
        look=plan.at(loaded_s(samples)),
        spread=spread,
        stall=longest_stall(samples),
        slow=slow,
    )


def are_decided(
    limits: Sequence[Limit], samples: BySegment, *, plan: AnalysisPlan, spread: Spread | None = None
) -> bool:
    """Return whether every limit would now be judged pass or fail: then the load without turns can end.

    `spread`: the variance between visits of the class so far. Raises ValueError without a limit.
    """
    if not limits:
        raise ValueError("expected at least one limit, found none")
    seen = _seen(samples, plan=plan, spread=spread)
    return all(seen.decide(limit) != "inconclusive" for limit in limits)


def are_compared(
    rules: Sequence[Limit], candidate: BySegment, baseline: BySegment, *, plan: AnalysisPlan, alone: BySegment = ()
) -> bool:
    """Return whether every rule would now be judged pass or fail: then the load in turn can end.

    `alone`: the samples of the candidate's load without turns. Raises ValueError without a rule.
    """
    if not rules:
        raise ValueError("expected at least one rule, found none")
    for rule in rules:
        ratio, caution = ratio_seen(rule.metric, candidate, baseline, plan=plan, alone=alone)
        if decide_comparison(ratio, rule, caution=caution) == "inconclusive":
            return False
    return True


def are_open(limits: Sequence[Limit], samples: BySegment, *, plan: AnalysisPlan, spread: Spread | None) -> bool:
    """Return whether a limit is undecided that further visits may decide."""
    seen = _seen(samples, plan=plan, spread=spread)
    return any(seen.decide(limit) == "inconclusive" and _may_be_decided(limit, seen) for limit in limits)


def _may_be_decided(limit: Limit, seen: _Seen) -> bool:
    """Return whether further visits may decide the limit.

    From the third visit on, they cannot if the value is so near the limit that the variance between visits would
    still reach it when all visits of the plan are over.
    """
    within = seen.within(limit)
    if len(seen.judged) < ENOUGH_VISITS or seen.spread is None or limit.metric.statistic == "longest":
        return True
    if within is None or not within.mean > 0.0 or not limit.bound > 0.0:
        return True
    lengths = [float(end - begin) for begin, end in pairwise((0, *seen.plan.visits))]
    confidence = seen.plan.at(seen.plan.cap).confidence
    reach = seen.spread.of(limit.metric, seen.judged).reach(confidence=confidence, seconds=lengths)
    return abs(math.log(within.mean / limit.bound)) >= reach


def judge_limit(
    samples: BySegment,
    limit: Limit,
    *,
    plan: AnalysisPlan,
    storage_class: str,
    spread: Spread | None = None,
    beside: BySegment = (),
) -> Verdict:
    """Return the verdict on a limit from samples, with the confidence that the plan gives to each interim analysis.

    `spread`: the variance between visits of the class. `beside`: the samples of other loads of the class. Only a stall
    counts there, because it happened.
    """
    seen = _seen(samples, plan=plan, spread=spread)
    estimate, stall = seen.estimate(limit), seen.stall
    if limit.metric.statistic == "longest" and beside:
        stall = longest_stall([*samples, *beside])
        estimate = stall_estimate(stall, limit.metric, samples, confidence=seen.look.confidence)
    slow = seen.slow.describe() if seen.slow else ""
    return judge(
        estimate,
        limit,
        storage_class=storage_class,
        remark="; ".join(filter(None, (_stall_remark(stall), slow))),
        caution=seen.caution(limit),
        visits=_differing_visits(limit, seen),
    )


def _differing_visits(limit: Limit, seen: _Seen) -> VisitFacts | None:
    """Return what the visits showed if the class differs so much between them that it is not steady; else None."""
    if seen.spread is None or len(seen.judged) < 2 or limit.metric.statistic == "longest":
        return None
    deviation = seen.spread.of(limit.metric, seen.judged).deviation
    figures = visit_figures(limit.metric, seen.judged)
    return VisitFacts(figures=figures, deviation=deviation) if deviation > UNSTEADY else None


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
