"""Measures each profile on each class once, on volumes that are made ready once, whoever asks for it how often."""

from __future__ import annotations

from collections.abc import Callable

from acceptance.limits.tiers import Tier
from acceptance.loads.profiles import Profile
from acceptance.measuring.batches import loaded_s
from acceptance.measuring.load import Bench, PreparedVolume, Preparing
from acceptance.measuring.measure import BySegment, Report, measure_alone, measure_alternately
from acceptance.process.once import Once
from acceptance.statistics.interim_analyses import UNJUDGED_S, AnalysisPlan, plan_for
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure, Unsupported
from acceptance.trials.speed.findings import Finding, decided


class SpeedRunner:
    """All measurements of a run.

    With a baseline class every profile is measured on both classes in turn, once; limits and comparison rules are
    then judged from that same measurement. `node`: where to load from; None leaves it to the first volume. `keep` gets
    each finding, once.
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
    ) -> None:
        self._bench = bench
        self._baseline_class = baseline_class
        self._node = node
        self._tier = tier
        self._report = report
        self._preparing = preparing
        self._volumes: dict[str, PreparedVolume | AcceptanceError] = {}
        self._findings = Once(self._measure, keep=keep)

    def finding(self, profile: Profile, *, storage_class: str) -> Finding:
        """The profile measured on the class.

        What failed once is not tried again: the same error is raised to everyone who asks. Raises what the bench
        raises.
        """
        return self._findings((profile, storage_class))

    def _measure(self, asked: tuple[Profile, str]) -> Finding:
        profile, storage_class = asked
        plan = plan_for(durable=profile.durable, in_turn=self._baseline_class is not None)
        self._prepare([*([self._baseline_class] if self._baseline_class else []), storage_class])
        baseline = self._baseline_volume()
        candidate = self._volume(storage_class)
        if baseline is None:
            alone = measure_alone(
                self._bench,
                candidate,
                profile,
                plan=plan,
                decided=lambda ours: self._decided(profile, ours, None, plan=plan),
                report=self._report,
            )
            return Finding(candidate=alone, baseline=None, plan=plan)
        ours, theirs = measure_alternately(
            self._bench,
            candidate=candidate,
            baseline=baseline,
            profile=profile,
            plan=plan,
            decided=lambda mine, other: self._decided(profile, mine, other, plan=plan),
            report=self._report,
        )
        return Finding(candidate=ours, baseline=theirs, plan=plan)

    def _decided(self, profile: Profile, ours: BySegment, theirs: BySegment | None, *, plan: AnalysisPlan) -> bool:
        limits = self._tier.limits_for(profile.name)
        rules = self._tier.comparison_for(profile.name) if theirs is not None else ()
        if not limits and not rules:
            return loaded_s(ours) >= UNJUDGED_S
        return decided(limits, rules, ours, theirs, plan=plan)

    def _prepare(self, storage_classes: list[str]) -> None:
        """Make ready those that are not yet, together; on the node of the others."""
        missing = [each for each in storage_classes if each not in self._volumes]
        if missing:
            self._volumes |= self._bench.prepare(missing, node=self._node, progress=self._preparing)
            nodes = [each.node for each in self._volumes.values() if isinstance(each, PreparedVolume)]
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
                f"the baseline class {self._baseline_class} failed, so that there is nothing to compare with: {error}"
            ) from error

    def _volume(self, storage_class: str) -> PreparedVolume:
        volume = self._volumes[storage_class]
        if isinstance(volume, AcceptanceError):
            raise volume
        return volume
