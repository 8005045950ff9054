"""The loads of a campaign as a tier judges them: visits, loads in turn with a baseline, and when they end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.limits.limit import Limit
from acceptance.limits.tiers import Tier
from acceptance.loads.profiles import Profile
from acceptance.measuring.batches import loaded_s
from acceptance.measuring.lasting import judged_part, slowing
from acceptance.measuring.load import Bench
from acceptance.measuring.measure import BySegment, Recording, Report, measure_alone, measure_alternately
from acceptance.measuring.visits import Shown, Spread, shown_by
from acceptance.statistics.interim_analyses import REACHED_SHARE, AnalysisPlan, plan_for, unjudged_plan
from acceptance.trials.speed.campaign import Pair
from acceptance.trials.speed.decisions import are_compared, are_decided, are_open
from acceptance.trials.speed.turns import Turns
from acceptance.trials.speed.volumes import PreparedVolumes

COMPANION_S = 12
"""The load (s) of a visit that only shows how much visits differ: three batches."""


@dataclass(frozen=True, kw_only=True)
class Durations:
    """The load of profiles (s): of one that is not judged; at least of each; at most of one that stays undecided."""

    unjudged_s: float
    least_s: float
    longest_s: float


@dataclass(frozen=True, kw_only=True)
class JudgedLoads:
    """The loads of pairs by the limits and rules of a tier.

    `has_baseline`: whether classes are compared with another one. `in_visits`: whether there are several pairs, between
    which the loads of one can pause; a single one is loaded without a pause.
    """

    bench: Bench
    volumes: PreparedVolumes
    tier: Tier
    report: Report
    durations: Durations
    has_baseline: bool
    in_visits: bool

    def visit(self, pair: Pair, before: Recording | None, *, spread: Spread | None, is_companion: bool) -> Recording:
        """Load the pair once more after the visits of `before`; a companion for seconds, whatever it decides."""
        volume, _ = self.volumes.with_baseline(pair.storage_class)
        plan = self.plan_alone(pair.profile)
        return measure_alone(
            self.bench,
            volume,
            pair.profile,
            plan=plan,
            is_decided=lambda samples: (
                not is_companion and self._may_end(pair.profile, samples, plan=plan, spread=spread)
            ),
            report=self.report,
            before=before,
            visit_s=COMPANION_S if is_companion else None,
        )

    def compare(self, pair: Pair, alone: Recording) -> Turns | None:
        """Load the pair's class and the baseline in turn: until all rules are decided, or as long as an unjudged load.

        None without a baseline.
        """
        candidate, baseline = self.volumes.with_baseline(pair.storage_class)
        if baseline is None:
            return None
        profile, rules = pair.profile, self._rules(pair.profile)
        plan = self._plan(profile, in_turn=True) if rules else unjudged_plan(self.durations.unjudged_s, in_turn=True)
        candidate_recording, baseline_recording = measure_alternately(
            self.bench,
            candidate=candidate,
            baseline=baseline,
            profile=profile,
            plan=plan,
            is_decided=lambda candidate_samples, baseline_samples: (
                are_compared(rules, candidate_samples, baseline_samples, plan=plan, alone=alone.samples)
                if rules
                else loaded_s(candidate_samples) >= self.durations.unjudged_s
            ),
            report=self.report,
        )
        return Turns(candidate=candidate_recording, baseline=baseline_recording, plan=plan, alone=alone.samples)

    def is_open(self, pair: Pair, recording: Recording, *, spread: Spread | None) -> bool:
        """Return whether a verdict is undecided that further visits may decide, or the load is shorter than asked."""
        plan, limits, samples = self.plan_alone(pair.profile), self._limits(pair.profile), recording.samples
        loaded = loaded_s(samples)
        if loaded < REACHED_SHARE * plan.looks[0]:
            return True
        if not limits or loaded >= REACHED_SHARE * plan.cap:
            return False
        return are_open(limits, samples, plan=plan, spread=spread)

    def may_accompany(self, pair: Pair, recording: Recording) -> bool:
        """Return whether a decided pair may be visited again: if it is judged, has time left and keeps its file."""
        is_judged, cap = bool(self._limits(pair.profile)), self.plan_alone(pair.profile).cap
        return is_judged and not pair.profile.own_files and loaded_s(recording.samples) < REACHED_SHARE * cap

    def shown(self, pair: Pair, recording: Recording) -> Shown:
        """Return what the visits of a pair showed in their judged part."""
        samples = recording.samples
        judged = judged_part(samples, slowing(samples), plan=self.plan_alone(pair.profile))
        return shown_by(judged, metrics=[limit.metric for limit in self._limits(pair.profile)])

    def plan_alone(self, profile: Profile) -> AnalysisPlan:
        """Return the analyses of the load without turns: in visits if it is judged."""
        if not self._limits(profile) and not self._rules(profile):
            return unjudged_plan(self.durations.unjudged_s, in_turn=False)
        plan = self._plan(profile, in_turn=False)
        return plan.in_visits() if self.in_visits else plan

    def _may_end(self, profile: Profile, samples: BySegment, *, plan: AnalysisPlan, spread: Spread | None) -> bool:
        """Return whether the load can end. If only rules are judged, the first analysis ends this load."""
        if limits := self._limits(profile):
            return are_decided(limits, samples, plan=plan, spread=spread)
        return bool(self._rules(profile)) or loaded_s(samples) >= self.durations.unjudged_s

    def _plan(self, profile: Profile, *, in_turn: bool) -> AnalysisPlan:
        plan = plan_for(durable=profile.durable, in_turn=in_turn, longest_s=self.durations.longest_s)
        return plan.at_least(self.durations.least_s)

    def _limits(self, profile: Profile) -> Sequence[Limit]:
        return self.tier.of("limits", profile=profile.name)

    def _rules(self, profile: Profile) -> Sequence[Limit]:
        return self.tier.of("comparison", profile=profile.name) if self.has_baseline else ()
