"""Measures each profile on each class once, on volumes that are made ready once, whoever asks for it how often."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acceptance.cluster.workspace import Workspace
from acceptance.errors import AcceptanceError
from acceptance.findings import Finding, decided
from acceptance.fio.profiles import Profile
from acceptance.looks import LookPlan
from acceptance.measuring.measure import Report, measure_alone, measure_alternately
from acceptance.measuring.preparation import PreparedVolume, prepare_volume
from acceptance.settings import Settings
from acceptance.tiers import Tier


class Campaign:
    """All measurements of a run. `wanted` are the profiles that will be asked for: fio checks them all beforehand.

    With a baseline class every profile is measured on both classes in turn, once; limits and comparison rules are
    then judged from that same measurement.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        settings: Settings,
        tier: Tier,
        wanted: Sequence[Profile],
        plan: LookPlan,
        report: Report,
        preparing: Callable[[str, int], None],
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._tier = tier
        self._wanted = wanted
        self._plan = plan
        self._report = report
        self._preparing = preparing
        self._volumes: dict[str, PreparedVolume | AcceptanceError] = {}
        self._findings: dict[tuple[str, str], Finding | AcceptanceError] = {}

    def finding(self, profile: Profile, *, storage_class: str) -> tuple[Finding, bool]:
        """The profile measured on the class, and whether that was done just now.

        What failed once is not tried again: the same error is raised to everyone who asks. Raises what
        `prepare_volume` and `run_segment` raise.
        """
        key = (profile.name, storage_class)
        new = key not in self._findings
        if new:
            try:
                self._findings[key] = self._measure(profile, storage_class)
            except AcceptanceError as error:
                self._findings[key] = error
        found = self._findings[key]
        if isinstance(found, AcceptanceError):
            raise found
        return found, new

    def _measure(self, profile: Profile, storage_class: str) -> Finding:
        baseline_class = self._settings.baseline_class
        baseline = None if baseline_class is None else self._volume(baseline_class, node=self._settings.node)
        node = self._settings.node if baseline is None else baseline.node
        candidate = self._volume(storage_class, node=node)
        limits, rules = self._tier.limits_for(profile.name), self._tier.comparison_for(profile.name)
        if baseline is None:
            alone = measure_alone(
                self._workspace,
                candidate,
                profile,
                plan=self._plan,
                decided=lambda ours: decided(limits, (), ours, None, plan=self._plan),
                report=self._report,
            )
            return Finding(candidate=alone, baseline=None, plan=self._plan)
        ours, theirs = measure_alternately(
            self._workspace,
            candidate=candidate,
            baseline=baseline,
            profile=profile,
            plan=self._plan,
            decided=lambda mine, other: decided(limits, rules, mine, other, plan=self._plan),
            report=self._report,
        )
        return Finding(candidate=ours, baseline=theirs, plan=self._plan)

    def _volume(self, storage_class: str, *, node: str | None) -> PreparedVolume:
        if storage_class not in self._volumes:
            try:
                self._volumes[storage_class] = prepare_volume(
                    self._workspace,
                    storage_class=storage_class,
                    volume_size=self._settings.volume_size,
                    test_size=self._settings.test_size,
                    profiles=[profile.name for profile in self._wanted],
                    node=node,
                    progress=lambda written: self._preparing(storage_class, written),
                )
            except AcceptanceError as error:
                self._volumes[storage_class] = error
        volume = self._volumes[storage_class]
        if isinstance(volume, AcceptanceError):
            raise volume
        return volume
