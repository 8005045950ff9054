"""Measures each class with many volumes once, however often that is requested."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TypeVar

from acceptance.cluster.node_room import require_room, usable_nodes
from acceptance.cluster.stateful_sets import REQUESTS
from acceptance.cluster.workspace import Workspace
from acceptance.judging.scaling import is_decided, left_open
from acceptance.limits.limit import Limit
from acceptance.limits.scaling import rate_unit
from acceptance.loads.profiles import Profile
from acceptance.measuring.windows import ShortWindow
from acceptance.process.once import Once
from acceptance.results.metrics import Metric
from acceptance.results.scaling import NodesRecord, ScalingRecord, StepRecord
from acceptance.statistics.step_analyses import CONFIDENCE, rate_windows_s, step_windows_s
from acceptance.text.errors import AcceptanceError
from acceptance.text.quantities import parse_quantity
from acceptance.trials import Say
from acceptance.trials.scaling.load_plan import LoadPlan
from acceptance.trials.scaling.load_set import LoadSet
from acceptance.trials.scaling.loaded_volume import LoadedVolume
from acceptance.trials.scaling.model import capacity, sure_total
from acceptance.trials.scaling.step_records import default_metric, rate_record, step_record
from acceptance.trials.scaling.steps import Step, run_step

R = TypeVar("R")

# From the end of one step's window to the beginning of the next, if everything is slow.
LONGEST_BETWEEN_S = 60.0


@dataclass(frozen=True, kw_only=True)
class ScaleSettings:
    """The settings of scale runs. `steps`: numbers of volumes, rising. `window_s`: the time in which all are loaded, at
    the first analysis. Sizes in bytes.

    `rate_pods`: the number of volumes that are loaded at a set rate, never fewer than the last step; `rate`: of each,
    as the user writes it; None for an even share of the measured capacity, as the limit says. `keep`: keep the pods and
    volumes of a run that failed.
    """

    steps: tuple[int, ...]
    window_s: float
    rate_pods: int
    rate: str | None
    volume_size: int
    test_size: int
    keep: bool = False


class ScaleRunner:
    """All scale runs of a session. `limits` are those that will be judged; what no limit needs is not run."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        settings: ScaleSettings,
        profiles: Sequence[Profile],
        limits: Sequence[Limit],
        say: Say,
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._profiles = profiles
        self._limits = limits
        self._say = say
        self._records: dict[tuple[str, str], ScalingRecord] = {}
        self._measure_once = Once(self._measure)

    @property
    def records(self) -> list[ScalingRecord]:
        """All records so far, including those of runs that failed before their end."""
        return list(self._records.values())

    def record(self, profile: str, *, storage_class: str) -> ScalingRecord:
        """Return the record of the profile on the class; all profiles are measured on it when the first is requested.

        A run that failed is not tried again: every caller gets the same error. Raises EnvironmentFailure if the nodes
        cannot hold the pods, StorageFailure and EnvironmentFailure if a step fails.
        """
        self._measure_once(storage_class)
        return self._records[storage_class, profile]

    def _measure(self, storage_class: str) -> None:
        try:
            self._measure_steps(storage_class)
            self._compare_nodes(storage_class)
        except AcceptanceError as error:
            for profile in self._profiles:
                self._add(storage_class, profile, incomplete=str(error))
            raise

    def _add(self, storage_class: str, profile: Profile, **changes: object) -> None:
        """Add to the record of the profile on the class; do nothing if no step of it was measured."""
        key = (storage_class, profile.name)
        if key in self._records:
            self._records[key] = self._records[key].model_copy(update=changes)

    def _compare_nodes(self, storage_class: str) -> None:
        profiles = [profile for profile in self._profiles if self._limit(profile, "node_scaling")]
        nodes = usable_nodes(self._workspace.api, self._workspace.pods.template) if profiles else []
        few = len(nodes) // 2
        if not few:
            return
        a_node = max(1, self._settings.steps[-1] // len(nodes))
        on_few = self._on_nodes(storage_class, profiles, nodes[:few], pods=few * a_node)
        on_many = self._on_nodes(storage_class, profiles, nodes[: 2 * few], pods=2 * few * a_node)
        for profile in profiles:
            nodes_record = NodesRecord(
                on_fewer_nodes=on_few[profile.name],
                on_more_nodes=on_many[profile.name],
                fewer_nodes=few,
                more_nodes=2 * few,
            )
            self._add(storage_class, profile, nodes=nodes_record)

    def _measure_steps(self, storage_class: str) -> None:
        limited_profiles = [profile for profile in self._profiles if self._limit(profile, "rate_limited")]
        most = max(self._settings.steps[-1], self._settings.rate_pods if limited_profiles else 0)
        plan = self._plan("scale", storage_class, self._profiles, most=most)
        require_room(self._workspace.api, self._workspace.pods.template, pods=most, requests=REQUESTS)
        steps: dict[str, list[StepRecord]] = {profile.name: [] for profile in self._profiles}
        numbers = count(1)
        with LoadSet(self._workspace, plan, say=self._say, keep=self._settings.keep) as load_set:
            load_set.grow(self._settings.steps[-1])
            for pods in self._settings.steps:
                for profile in self._profiles:
                    steps[profile.name].append(self._step(load_set, profile, numbers, pods=pods))
                    self._keep(storage_class, profile, steps[profile.name])
            for window_s in step_windows_s(self._settings.window_s)[1:]:
                for profile in self._profiles:
                    self._again(load_set, profile, storage_class, numbers, window_s=window_s)
            if limited_profiles:
                load_set.grow(most)
            for profile in limited_profiles:
                self._at_rate(load_set, profile, storage_class, numbers)

    def _again(
        self, load_set: LoadSet, profile: Profile, storage_class: str, numbers: Iterator[int], *, window_s: float
    ) -> None:
        """Measure the steps again and for longer on which an undecided limit depends."""
        record = self._records[storage_class, profile.name]
        pod_counts = left_open(record, [limit for limit in self._limits if limit.profile == profile.name])
        steps = list(record.steps)
        for place, step in enumerate(steps):
            if step.pods in pod_counts:
                steps[place] = self._step(load_set, profile, numbers, pods=step.pods, window_s=window_s)
                self._keep(storage_class, profile, steps)

    def _keep(self, storage_class: str, profile: Profile, steps: Sequence[StepRecord]) -> None:
        self._records[storage_class, profile.name] = self._record(profile, storage_class, steps)

    def _on_nodes(
        self, storage_class: str, profiles: Sequence[Profile], nodes: Sequence[str], *, pods: int
    ) -> dict[str, StepRecord]:
        """Measure at the last analysis immediately: for another one, volumes would have to be prepared again."""
        plan = self._plan(f"nodes-{len(nodes)}", storage_class, profiles, most=pods, nodes=nodes)
        require_room(self._workspace.api, self._workspace.pods.template, pods=pods, requests=REQUESTS, nodes=nodes)
        window_s = step_windows_s(self._settings.window_s)[-1]
        with LoadSet(self._workspace, plan, say=self._say, keep=self._settings.keep) as load_set:
            load_set.grow(pods)
            numbers = count(1)
            return {
                profile.name: self._step(load_set, profile, numbers, pods=pods, window_s=window_s)
                for profile in profiles
            }

    def _plan(
        self, name: str, storage_class: str, profiles: Sequence[Profile], *, most: int, nodes: Sequence[str] = ()
    ) -> LoadPlan:
        return LoadPlan(
            name=name,
            storage_class=storage_class,
            volume_size=self._settings.volume_size,
            test_size=self._settings.test_size,
            most_pods=most,
            profiles=profiles,
            rate_metrics={
                profile.name: self._metric(profile) for profile in profiles if self._limit(profile, "rate_limited")
            },
            nodes=nodes,
            others_s=sum(self._longest_s(profile) for profile in profiles),
        )

    def _longest_s(self, profile: Profile) -> float:
        """Return how long all steps of the profile may take, each analyzed as often as allowed and repeated once."""
        a_step = 2 * sum(
            window_s + LONGEST_BETWEEN_S + profile.ramp_s for window_s in step_windows_s(self._settings.window_s)
        )
        return a_step * len(self._settings.steps)

    def _step(
        self, load_set: LoadSet, profile: Profile, numbers: Iterator[int], *, pods: int, window_s: float | None = None
    ) -> StepRecord:
        metric, window_s = self._metric(profile), window_s or self._settings.window_s
        step = Step(number=next(numbers), profile=profile, pods=pods, window_s=window_s)
        return _run(load_set, step, numbers, lambda volumes: step_record(volumes, metric=metric, window_s=window_s))

    def _at_rate(self, load_set: LoadSet, profile: Profile, storage_class: str, numbers: Iterator[int]) -> None:
        """Run at the set rate, again and for longer, until the limit is decided or the last analysis is done."""
        metric, limit = self._metric(profile), self._limit(profile, "rate_limited")
        rate = self._rate(profile, self._records[storage_class, profile.name], pods=len(load_set.pods))
        for window_s in rate_windows_s(self._settings.window_s):
            step = Step(number=next(numbers), profile=profile, pods=len(load_set.pods), window_s=window_s, rate=rate)
            outcome = _run(
                load_set,
                step,
                numbers,
                partial(rate_record, metric=metric, rate=rate, window_s=window_s),
            )
            self._add(storage_class, profile, rate_limited=outcome)
            if limit is None or is_decided(self._records[storage_class, profile.name], limit):
                return

    def _rate(self, profile: Profile, record: ScalingRecord, *, pods: int) -> int:
        """Return the rate that is required of each volume: whole operations or bytes a second, at least one."""
        if self._settings.rate is not None:
            return max(1, math.floor(parse_quantity(self._settings.rate, unit=record.unit)))
        limit = self._limit(profile, "rate_limited")
        share = 1.0 if limit is None else limit.at["of_capacity"]
        shortest_s = min(step.batch_s for step in record.steps)
        total = sure_total({step.pods: step.total for step in record.steps}, batch_s=shortest_s)
        return max(1, math.floor(share * total / pods))

    def _record(self, profile: Profile, storage_class: str, steps: Sequence[StepRecord]) -> ScalingRecord:
        metric = self._metric(profile)
        return ScalingRecord(
            profile=profile.name,
            storage_class=storage_class,
            metric=metric.path,
            unit=rate_unit(metric),
            confidence=CONFIDENCE,
            steps=list(steps),
            capacity=capacity({step.pods: step.total for step in steps}, confidence=CONFIDENCE),
        )

    def _metric(self, profile: Profile) -> Metric:
        """Return the rate that the profile's limits are about, or the one that its name states."""
        rates = [
            limit.metric for limit in self._limits if limit.profile == profile.name and limit.rule != "latency_growth"
        ]
        return rates[0] if rates else default_metric(profile.name)

    def _limit(self, profile: Profile, kind: str) -> Limit | None:
        matches = [limit for limit in self._limits if (limit.profile, limit.rule) == (profile.name, kind)]
        return matches[0] if matches else None


def _run(load_set: LoadSet, step: Step, numbers: Iterator[int], record: Callable[[Sequence[LoadedVolume]], R]) -> R:
    """Return the record of the step; run it once more, for longer, if the volumes were not loaded together for long
    enough."""
    try:
        return record(run_step(load_set, step))
    except ShortWindow as short:
        more_s = step.spare_s + 2 * short.missing_s
        return record(run_step(load_set, replace(step, number=next(numbers), more_s=more_s)))
