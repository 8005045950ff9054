"""What a file of limits may say, as pydantic models: structure, metrics and units, each value by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from acceptance.limits.crashes import FailoverEntry
from acceptance.limits.disruptions import DisruptionEntry
from acceptance.limits.history import HistoryEntry
from acceptance.limits.many_files import ManyFilesEntry
from acceptance.limits.neighbours import NeighbourEntry
from acceptance.limits.operations import OperationsEntry
from acceptance.limits.price import PriceEntry
from acceptance.limits.provisioning import ProvisioningEntry
from acceptance.limits.ramps import ControlPlaneEntry
from acceptance.limits.rebuilds import RebuildEntry
from acceptance.limits.scaling import ScalingEntry
from acceptance.limits.snapshots import SnapshotsEntry
from acceptance.limits.sustained import SustainedLimit
from acceptance.limits.tiers import AnyLimit, ComparisonRule, Limit, RuleKind, side_of
from acceptance.limits.under_load import UnderLoadEntry
from acceptance.limits.values import Entry, MetricRule, Quantity, Sentence, side_problem, tell_metric
from acceptance.results.metrics import CPU, STALL, Metric
from acceptance.text.quantities import parse_quantity


class LimitEntry(MetricRule):
    """`{at_least: 750, because: ...}`, values in the metric's unit."""

    at_least: Quantity | None = None
    at_most: Quantity | None = None
    some_of: ClassVar[tuple[str, ...]] = ("at_least", "at_most")

    @field_validator("at_least", "at_most", mode="before")
    @classmethod
    def _parse_value(cls, text: Any, info: ValidationInfo) -> float | None:
        metric: Metric | None = info.data.get("metric")
        if metric is None:  # reported already; without it the unit is unknown
            return 1.0
        if problem := side_problem(str(info.field_name), metric):
            raise ValueError(problem)
        value = parse_quantity(text, unit=metric.unit)
        if value == 0.0:
            raise ValueError(f"wanted a limit above zero, found {text!r}, which every class meets or none does")
        return value

    def limits(self, *, profile: str) -> Iterator[Limit]:
        """As plain limits, one a kind."""
        for kind, value in (("at_least", self.at_least), ("at_most", self.at_most)):
            if value is not None:
                yield Limit(profile=profile, metric=self.metric, because=self.because, **{kind: value})


class SustainedEntry(LimitEntry):
    """The same at the end of a sustained load."""

    @field_validator("metric")
    @classmethod
    def _lasts(cls, metric: Metric) -> Metric:
        if metric.statistic == "longest":
            raise ValueError(
                f"wanted a metric of the load's whole end, found {metric}, which is of one moment; limit it "
                "under limits:"
            )
        return metric

    def sustained(self, *, profile: str) -> Iterator[SustainedLimit]:
        """As plain limits, one a kind."""
        for each in self.limits(profile=profile):
            yield SustainedLimit(
                profile=profile, metric=each.metric, side=each.kind, value=each.value, because=each.because
            )


_WHY_NOT_COMPARED = {
    STALL: "which is of one moment; limit it under limits:",
    CPU: "CPU time a second, of which slower storage has less; compare cpu.per_operation",
}


class ComparisonEntry(MetricRule):
    """`{not_better_than_baseline_by: 20%, because: ...}`, or `not_worse_than_baseline_by`, or both."""

    not_better_than_baseline_by: Quantity | None = None
    not_worse_than_baseline_by: Quantity | None = None
    some_of: ClassVar[tuple[str, ...]] = get_args(RuleKind)

    @field_validator("not_better_than_baseline_by", "not_worse_than_baseline_by", mode="before")
    @classmethod
    def _parse_margin(cls, text: Any, info: ValidationInfo) -> float | None:
        metric: Metric | None = info.data.get("metric")
        margin = parse_quantity(text, unit="ratio")
        kind: RuleKind = info.field_name  # type: ignore[assignment]
        if metric is not None and not metric.is_comparable:
            raise ValueError(f"wanted a metric that can be compared, found {metric}, {_WHY_NOT_COMPARED[metric.path]}")
        if metric is not None and side_of(kind, metric) == "at_least" and margin >= 1.0:
            raise ValueError(
                f"wanted a margin below 100%, found {text!r}: no {metric} can be 100% lower than another, so the rule "
                "would never fail"
            )
        return margin

    def limits(self, *, profile: str) -> Iterator[ComparisonRule]:
        """As plain rules, one a kind."""
        for kind in get_args(RuleKind):
            if (margin := getattr(self, kind)) is not None:
                yield ComparisonRule(
                    profile=profile, metric=self.metric, kind=kind, margin=margin, because=self.because
                )


LimitEntries = Annotated[dict[str, LimitEntry], BeforeValidator(tell_metric)]
SustainedEntries = Annotated[dict[str, SustainedEntry], BeforeValidator(tell_metric)]
UnderLoadEntries = Annotated[dict[str, UnderLoadEntry], BeforeValidator(tell_metric)]
NeighbourEntries = Annotated[dict[str, NeighbourEntry], BeforeValidator(tell_metric)]
ComparisonEntries = Annotated[dict[str, ComparisonEntry], BeforeValidator(tell_metric)]


def _test_name(text: str) -> str:
    if re.fullmatch(r"[^\s:]+\.py(::[^\s:\[]+)*", text) is None:
        raise ValueError(
            f"wanted a test file, or a test in it, as pytest names them (tests/test_a.py::test_b), found {text!r}"
        )
    return text


def _address(text: str) -> str:
    if re.fullmatch(r"https?://[^\s/]+(/\S*)?", text) is None:
        raise ValueError(f"wanted an address such as https://example.com/guide, found {text!r}")
    return text


class TierEntry(Entry):
    """One tier; limits and comparison rules by profile and metric, scaling limits by profile."""

    description: str = ""
    extends: str | None = None
    requires: list[Annotated[str, AfterValidator(_test_name)]] = Field(default_factory=list)
    limits: dict[str, LimitEntries] = Field(default_factory=dict)
    comparison: dict[str, ComparisonEntries] = Field(default_factory=dict)
    scaling: dict[str, ScalingEntry] = Field(default_factory=dict)
    sustained: dict[str, SustainedEntries] = Field(default_factory=dict)
    latency_under_load: dict[str, UnderLoadEntries] = Field(default_factory=dict)
    price: dict[str, PriceEntry] = Field(default_factory=dict)
    noisy_neighbours: dict[str, NeighbourEntries] = Field(default_factory=dict)
    control_plane: ControlPlaneEntry | None = None
    rebuild: RebuildEntry | None = None
    failover: FailoverEntry | None = None
    disruption: DisruptionEntry | None = None
    operations: OperationsEntry | None = None
    snapshots: SnapshotsEntry | None = None
    many_files: ManyFilesEntry | None = None
    provisioning: ProvisioningEntry | None = None
    history: HistoryEntry | None = None

    def own(self, *, time_limit_s: float, runs: int) -> Iterator[AnyLimit]:
        """What this tier says itself, as plain limits; the last two hold for all rebuilds and all earlier runs."""
        for section in (self.limits, self.comparison):
            for profile, rules in section.items():
                for rule in rules.values():
                    yield from rule.limits(profile=profile)
        for profile, scaling in self.scaling.items():
            yield from scaling.limits(profile=profile)
        for profile, entries in self.sustained.items():
            for entry in entries.values():
                yield from entry.sustained(profile=profile)
        for profile, under_load in self.latency_under_load.items():
            for each in under_load.values():
                yield from each.limits(profile=profile)
        for profile, price in self.price.items():
            yield from price.limits(profile=profile)
        for profile, beside in self.noisy_neighbours.items():
            for one in beside.values():
                yield from one.limits(profile=profile)
        if self.provisioning is not None and self.provisioning.bind_time is not None:
            yield self.provisioning.bind_time
        if self.rebuild is not None:
            yield from self.rebuild.limits(time_limit_s=time_limit_s)
        if self.control_plane is not None:
            yield from self.control_plane.limits()
        if self.failover is not None:
            yield from self.failover.limits()
        if self.disruption is not None:
            yield from self.disruption.limits()
        if self.operations is not None:
            yield from self.operations.limits()
        if self.snapshots is not None:
            yield from self.snapshots.limits()
        if self.many_files is not None:
            yield from self.many_files.limits()
        if self.history is not None:
            yield from self.history.rules(runs=runs)


class SourceEntry(Entry):
    """Where limits come from: `{about: Amazon's guide, address: https://...}`."""

    about: Sentence
    address: Annotated[str, AfterValidator(_address)] = ""


class FileEntry(Entry):
    """The whole file."""

    version: Literal[1]
    sources: dict[str, SourceEntry] = Field(default_factory=dict)
    tiers: dict[str, TierEntry] = Field(min_length=1)
