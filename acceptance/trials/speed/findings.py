"""A finished measurement of a profile, ready to be judged: from recordings to measurements and verdicts."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.judging.limit import judge_comparison
from acceptance.judging.outcome import verdict_id, without_limit
from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.measure import BySegment, Recording
from acceptance.measuring.rest import rest_effect
from acceptance.measuring.visits import Spread
from acceptance.results.document import Measurement, Verdict
from acceptance.results.requirement import Outcome
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.trials.speed.decisions import judge_limit, ratio_seen
from acceptance.trials.speed.records import against_baseline, measurement_of, relative, small_file_of
from acceptance.trials.speed.turns import Turns, faster_after_rest, faster_when_it_rests


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One profile measured on a candidate class in visits, and in turn with the baseline if there is one.

    `spread`: the variance between all visits of the class; None if it is not known.
    """

    candidate: Recording
    plan: AnalysisPlan
    spread: Spread | None = None
    turns: Turns | None = None

    def against(self, limit: Limit | Profile) -> Verdict:
        """Return the verdict on a limit of the tier; for a profile without limits, its figures and no verdict."""
        if isinstance(limit, Profile):
            return self._unjudged_verdict()
        return judge_limit(
            self.candidate.samples,
            limit,
            plan=self.plan,
            spread=self.spread,
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
        plan, alone = self.turns.plan, self.turns.alone
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
        candidate = measurement_of(self.candidate, plan=self.plan, spread=self.spread, beside=self._in_turn)
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
