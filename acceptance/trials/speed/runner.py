"""Measures each profile on each class once, on volumes that are made ready once, whoever asks for it how often."""

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
from acceptance.trials.speed.findings import Finding, decided
from acceptance.trials.speed.later import AFTER_S, Later
from acceptance.trials.speed.later import PLAN as LATER
from acceptance.trials.speed.turns import Turns


class SpeedRunner:
    """All measurements of a run.

    Every profile is measured once, and its limits are judged on a load without a pause. With a baseline class both
    classes are then loaded in turn, as far as the comparison rules need it. `node`: where to load from; None leaves it
    to the first volume. `keep` gets each finding, once. `unjudged_s`: how long is loaded what nobody judges;
    `load_time_s`: how long each load lasts at the least; `longest_s`: how long what is judged and stays open.
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
        """The profile measured on the class.

        What failed once is not tried again: the same error is raised to everyone who asks. Raises what the bench
        raises.
        """
        return self._findings((profile, storage_class))

    def _measure(self, asked: tuple[Profile, str]) -> Finding:
        profile, storage_class = asked
        plan = unjudged_plan(self._unjudged_s, in_turn=False)
        if self._tier.of("limits", profile=profile.name) or self._is_compared(profile):
            plan = self._plan(profile, in_turn=False)
        self._prepare([*([self._baseline_class] if self._baseline_class else []), storage_class])
        baseline = self._baseline_volume()
        candidate = self._volume(storage_class)
        alone = measure_alone(
            self._bench,
            candidate,
            profile,
            plan=plan,
            decided=lambda ours: self._limits_decided(profile, ours, plan=plan),
            report=self._report,
        )
        turns = None if baseline is None else self._in_turn(profile, candidate, baseline, alone=alone.samples)
        found = Finding(candidate=alone, plan=plan, turns=turns)
        self._firsts.setdefault(storage_class, (self._now_s(), found))
        return found

    def later(self) -> Iterator[Later]:
        """The first profile of each class once more, of classes where that was long ago.

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
        """Have a volume of the class, with its test file, before its load begins. Raises what the bench raises."""
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
        decided: Callable[[BySegment], bool] = lambda _: False,
    ) -> Recording:
        """The profile on the class from the plan's begin to its end, or until it is decided; anew for each who asks.

        `rate`: of a profile that is rate-limited. Raises what the bench raises.
        """
        self._prepare([storage_class])
        return measure_alone(
            self._bench,
            self._volume(storage_class),
            profile,
            plan=plan,
            decided=decided,
            report=self._report,
            name=name,
            rate=rate,
        )

    def _in_turn(
        self, profile: Profile, candidate: PreparedVolume, baseline: PreparedVolume, *, alone: BySegment
    ) -> Turns:
        """For the ratios only: until all rules are decided, or as long as what nobody judges."""
        rules = self._tier.of("comparison", profile=profile.name)
        plan = self._plan(profile, in_turn=True) if rules else unjudged_plan(self._unjudged_s, in_turn=True)
        ours, theirs = measure_alternately(
            self._bench,
            candidate=candidate,
            baseline=baseline,
            profile=profile,
            plan=plan,
            decided=lambda mine, other: (
                decided((), rules, mine, other, plan=plan, alone=alone) if rules else loaded_s(mine) >= self._unjudged_s
            ),
            report=self._report,
        )
        return Turns(candidate=ours, baseline=theirs, plan=plan)

    def _plan(self, profile: Profile, *, in_turn: bool) -> AnalysisPlan:
        plan = plan_for(durable=profile.durable, in_turn=in_turn, longest_s=self._longest_s)
        return plan.at_least(self._load_time_s)

    def _limits_decided(self, profile: Profile, ours: BySegment, *, plan: AnalysisPlan) -> bool:
        """Where a ratio alone is asked for, this load is only there to be shown beside it: the first look ends it."""
        limits = self._tier.of("limits", profile=profile.name)
        if limits:
            return decided(limits, (), ours, None, plan=plan)
        return self._is_compared(profile) or loaded_s(ours) >= self._unjudged_s

    def _is_compared(self, profile: Profile) -> bool:
        return self._baseline_class is not None and bool(self._tier.of("comparison", profile=profile.name))

    def _prepare(self, storage_classes: list[str]) -> None:
        """Make ready those that are not yet, together; on the node of the others."""
        missing = [storage_class for storage_class in storage_classes if storage_class not in self._volumes]
        if missing:
            self._volumes |= self._bench.prepare(missing, node=self._node, progress=self._preparing)
            nodes = [volume.node for volume in self._volumes.values() if isinstance(volume, PreparedVolume)]
            self._node = self._node or (nodes[0] if nodes and self._baseline_class else None)

    def _baseline_volume(self) -> PreparedVolume | None:
        """None without a baseline class. Raises EnvironmentFailure for one that fails: nothing to compare with."""
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
