"""Measures each profile on each class once, on volumes that are prepared once, however often that is requested."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from acceptance.limits.tiers import Tier
from acceptance.loads.profiles import Profile
from acceptance.measuring.batches import loaded_s
from acceptance.measuring.load import Bench, PreparedVolume, Preparing
from acceptance.measuring.measure import BySegment, Recording, Report, measure_alone, measure_alternately
from acceptance.process.once import Once
from acceptance.statistics.interim_analyses import LONGEST_S, UNJUDGED_S, AnalysisPlan, plan_for, unjudged_plan
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure, Unsupported
from acceptance.trials.speed.findings import Finding, are_decided
from acceptance.trials.speed.later import AFTER_S, Later
from acceptance.trials.speed.later import PLAN as LATER
from acceptance.trials.speed.turns import Turns


class SpeedRunner:
    """All measurements of a run.

    Every profile is measured once, and its limits are judged on a load without a pause. With a baseline class both
    classes are then loaded in turn, as far as the comparison rules need it. `node`: the node that loads; None leaves it
    to the first volume. `keep` gets each finding, once. `unjudged_s`: the duration of loads that are not judged;
    `load_time_s`: the minimum duration of each load; `longest_s`: the maximum duration of loads whose verdict is still
    undecided.
    """

    def __init__(
        self,
        bench: Bench,
        *,
        baseline_class: str | None,
        node: str | None,
        tier: Tier,
        report: Report,
        preparing: Preparing,
        keep: Callable[[Finding], object],
        unjudged_s: float = UNJUDGED_S,
        load_time_s: float = 0.0,
        longest_s: float = LONGEST_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bench = bench
        self._baseline_class = baseline_class
        self._node = node
        self._tier = tier
        self._report = report
        self._preparing = preparing
        self._unjudged_s = max(unjudged_s, load_time_s)
        self._load_time_s = load_time_s
        self._longest_s = longest_s
        self._volumes: dict[str, PreparedVolume | AcceptanceError] = {}
        self._now_s = now_s
        self._firsts: dict[str, tuple[float, Finding]] = {}
        self._findings = Once(self._measure, keep=keep)

    def finding(self, profile: Profile, *, storage_class: str) -> Finding:
        """Return the profile measured on the class.

        A measurement that failed is not tried again: every caller gets the same error. Raises what the bench raises.
        """
        return self._findings((profile, storage_class))

    def _measure(self, request: tuple[Profile, str]) -> Finding:
        profile, storage_class = request
        plan = unjudged_plan(self._unjudged_s, in_turn=False)
        if self._tier.of("limits", profile=profile.name) or self._has_comparison(profile):
            plan = self._plan(profile, in_turn=False)
        self._prepare([*([self._baseline_class] if self._baseline_class else []), storage_class])
        baseline = self._baseline_volume()
        candidate = self._volume(storage_class)
        alone = measure_alone(
            self._bench,
            candidate,
            profile,
            plan=plan,
            is_decided=lambda samples: self._limits_decided(profile, samples, plan=plan),
            report=self._report,
        )
        turns = None if baseline is None else self._in_turn(profile, candidate, baseline, alone=alone.samples)
        finding = Finding(candidate=alone, plan=plan, turns=turns)
        self._firsts.setdefault(storage_class, (self._now_s(), finding))
        return finding

    def later(self) -> Iterator[Later]:
        """Yield the first profile of each class, measured again, for classes that were measured long ago.

        Raises what the bench raises.
        """
        for storage_class, (since_s, first) in self._firsts.items():
            after_s = self._now_s() - since_s
            if after_s < AFTER_S:
                continue
            profile = first.candidate.profile
            again = self.whole_load(profile, storage_class=storage_class, plan=LATER, name="again")
            yield Later(first=first, again=again, after_s=after_s)

    def make_ready(self, storage_class: str) -> None:
        """Prepare a volume of the class, with its test file, before its load begins. Raises what the bench raises."""
        self._prepare([storage_class])
        self._volume(storage_class)

    def whole_load(
        self,
        profile: Profile,
        *,
        storage_class: str,
        plan: AnalysisPlan,
        name: str,
        rate: int | None = None,
        is_decided: Callable[[BySegment], bool] = lambda _: False,
    ) -> Recording:
        """Load a volume from the plan's start to its end, or until it is decided; again for each caller.

        `rate`: of a profile that is rate-limited. Raises what the bench raises.
        """
        self._prepare([storage_class])
        return measure_alone(
            self._bench,
            self._volume(storage_class),
            profile,
            plan=plan,
            is_decided=is_decided,
            report=self._report,
            name=name,
            rate=rate,
        )

    def _in_turn(
        self, profile: Profile, candidate: PreparedVolume, baseline: PreparedVolume, *, alone: BySegment
    ) -> Turns:
        """Load both classes in turn for the ratios: until all rules are decided, or as long as an unjudged load."""
        rules = self._tier.of("comparison", profile=profile.name)
        plan = self._plan(profile, in_turn=True) if rules else unjudged_plan(self._unjudged_s, in_turn=True)
        candidate_recording, baseline_recording = measure_alternately(
            self._bench,
            candidate=candidate,
            baseline=baseline,
            profile=profile,
            plan=plan,
            is_decided=lambda candidate_samples, baseline_samples: (
                are_decided((), rules, candidate_samples, baseline_samples, plan=plan, alone=alone)
                if rules
                else loaded_s(candidate_samples) >= self._unjudged_s
            ),
            report=self._report,
        )
        return Turns(candidate=candidate_recording, baseline=baseline_recording, plan=plan)

    def _plan(self, profile: Profile, *, in_turn: bool) -> AnalysisPlan:
        plan = plan_for(durable=profile.durable, in_turn=in_turn, longest_s=self._longest_s)
        return plan.at_least(self._load_time_s)

    def _limits_decided(self, profile: Profile, samples: BySegment, *, plan: AnalysisPlan) -> bool:
        """Return whether the load can end.

        If the tier has only rules for the profile, the first interim analysis ends this load, which is only shown.
        """
        limits = self._tier.of("limits", profile=profile.name)
        if limits:
            return are_decided(limits, (), samples, None, plan=plan)
        return self._has_comparison(profile) or loaded_s(samples) >= self._unjudged_s

    def _has_comparison(self, profile: Profile) -> bool:
        return self._baseline_class is not None and bool(self._tier.of("comparison", profile=profile.name))

    def _prepare(self, storage_classes: list[str]) -> None:
        """Prepare the volumes of classes that have none yet, together, on the node of the other volumes."""
        missing = [storage_class for storage_class in storage_classes if storage_class not in self._volumes]
        if missing:
            self._volumes |= self._bench.prepare(missing, node=self._node, progress=self._preparing)
            nodes = [volume.node for volume in self._volumes.values() if isinstance(volume, PreparedVolume)]
            self._node = self._node or (nodes[0] if nodes and self._baseline_class else None)

    def _baseline_volume(self) -> PreparedVolume | None:
        """Return the volume of the baseline class; None without one.

        Raises EnvironmentFailure if it failed, because there is nothing to compare with.
        """
        if self._baseline_class is None:
            return None
        try:
            return self._volume(self._baseline_class)
        except Unsupported:
            raise
        except StorageFailure as error:
            raise EnvironmentFailure(
                f"the baseline class {self._baseline_class} failed, so there is nothing to compare with: {error}"
            ) from error

    def _volume(self, storage_class: str) -> PreparedVolume:
        volume = self._volumes[storage_class]
        if isinstance(volume, AcceptanceError):
            raise volume
        return volume
