"""What storage must do: limits and comparison rules, grouped into tiers. `limits` reads them from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from acceptance.limits.crashes import FailoverLimit
from acceptance.limits.disruptions import DisruptionLimit
from acceptance.limits.history import HistoryLimit
from acceptance.limits.many_files import ManyFilesLimit
from acceptance.limits.neighbours import NeighbourLimit
from acceptance.limits.operations import OperationLimit
from acceptance.limits.price import PriceLimit
from acceptance.limits.provisioning import ProvisioningLimit
from acceptance.limits.ramps import ControlPlaneLimit, RampRules
from acceptance.limits.rebuilds import RebuildLimit
from acceptance.limits.scaling import ScalingLimit
from acceptance.limits.snapshots import SnapshotsLimit
from acceptance.limits.sustained import SustainedLimit
from acceptance.limits.under_load import UnderLoadLimit
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import format_quantity

LimitKind = Literal["at_least", "at_most"]
RuleKind = Literal["not_better_than_baseline_by", "not_worse_than_baseline_by"]


@dataclass(frozen=True, kw_only=True)
class Limit:
    """One requirement on one metric of one profile. Exactly one of `at_least` and `at_most` is set.

    They are in the metric's unit. `because` tells whoever reads a failure why the limit exists.
    """

    profile: str
    metric: Metric
    at_least: float | None = None
    at_most: float | None = None
    because: str

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"wanted one of at_least and at_most for {self.metric}, found both or none")

    @property
    def kind(self) -> LimitKind:
        return "at_most" if self.at_least is None else "at_least"

    @property
    def value(self) -> float:
        """The limit itself, whichever of the two kinds it is."""
        value = self.at_most if self.at_least is None else self.at_least
        assert value is not None  # __post_init__ has seen to it
        return value

    def describe(self) -> str:
        """`write.iops at least 750 IOPS`"""
        amount = format_quantity(self.value, unit=self.metric.unit)
        return f"{self.metric} {self.kind.replace('_', ' ')} {amount}"


@dataclass(frozen=True, kw_only=True)
class ComparisonRule:
    """The candidate must not be better, or must not be worse, than the baseline by more than `margin` (0.20: a fifth).

    Better is higher for IOPS and bandwidth, lower for latency and CPU time. A candidate that is too good has most
    likely not done what it was asked to do: that is what `not_better_than_baseline_by` is for.
    """

    profile: str
    metric: Metric
    kind: RuleKind
    margin: float
    because: str

    @property
    def side(self) -> LimitKind:
        """On which side of `bound` the ratio candidate / baseline must lie."""
        return side_of(self.kind, self.metric)

    @property
    def bound(self) -> float:
        """The ratio candidate / baseline that is just allowed: with a margin of 0.20 it is 1.2, or 0.8 from below."""
        return 1.0 + self.margin if self.side == "at_most" else 1.0 - self.margin

    def describe(self) -> str:
        """`write.iops at most 1.2x the baseline's`"""
        return f"{self.metric} {self.side.replace('_', ' ')} {format_quantity(self.bound, unit='ratio')} the baseline's"


def side_of(kind: RuleKind, metric: Metric) -> LimitKind:
    """Whether a rule of this kind keeps the metric's ratio candidate / baseline from rising or from falling."""
    too_good = kind == "not_better_than_baseline_by"
    return "at_most" if too_good == metric.higher_is_better else "at_least"


AnyLimit = (
    Limit
    | ComparisonRule
    | ScalingLimit
    | ControlPlaneLimit
    | RebuildLimit
    | ProvisioningLimit
    | FailoverLimit
    | DisruptionLimit
    | SustainedLimit
    | UnderLoadLimit
    | PriceLimit
    | NeighbourLimit
    | OperationLimit
    | SnapshotsLimit
    | ManyFilesLimit
    | HistoryLimit
)
"""Whatever a verdict can be on: each has a profile, or what stands for it, and describes itself."""


@dataclass(frozen=True, kw_only=True)
class Tier:
    """A named set of limits, inherited ones included."""

    name: str
    description: str
    extends: str | None
    limits: tuple[Limit, ...]
    comparison: tuple[ComparisonRule, ...]
    scaling: tuple[ScalingLimit, ...] = ()
    control_plane: tuple[ControlPlaneLimit, ...] = ()
    ramp: RampRules | None = None
    rebuild: tuple[RebuildLimit, ...] = ()
    failover: tuple[FailoverLimit, ...] = ()
    disruption: tuple[DisruptionLimit, ...] = ()
    provisioning: tuple[ProvisioningLimit, ...] = ()
    sustained: tuple[SustainedLimit, ...] = ()
    under_load: tuple[UnderLoadLimit, ...] = ()
    price: tuple[PriceLimit, ...] = ()
    neighbours: tuple[NeighbourLimit, ...] = ()
    operations: tuple[OperationLimit, ...] = ()
    snapshots: tuple[SnapshotsLimit, ...] = ()
    many_files: tuple[ManyFilesLimit, ...] = ()
    history: tuple[HistoryLimit, ...] = ()
    requires: tuple[str, ...] = ()
    """tests without which a pass is none of the tier: files, or tests in them, as pytest names them"""

    @property
    def all_requirements(self) -> tuple[AnyLimit, ...]:
        """All that a class can be asked for, also what is destructive or takes long; without the history's limits."""
        return self.requirements(
            destructive=True,
            sustained=True,
            under_load=True,
            neighbours=True,
            operations=True,
            many_files=True,
            kill_pods=True,
            price=True,
        )

    def requirements(
        self,
        *,
        destructive: bool,
        sustained: bool,
        under_load: bool,
        operations: bool,
        many_files: bool = False,
        kill_pods: bool = False,
        price: bool = False,
        neighbours: bool = False,
    ) -> tuple[AnyLimit, ...]:
        """All that a class is asked for; of what is destructive, or takes long, only where that was asked for."""
        destructives: tuple[AnyLimit, ...] = (*self.rebuild, *self.control_plane) if destructive else ()
        moved = (each for each in self.failover if destructive or not each.destructive)
        long: tuple[AnyLimit, ...] = (
            *(self.sustained if sustained else ()),
            *(self.under_load if under_load else ()),
            *(self.neighbours if neighbours else ()),
            *(self.operations if operations else ()),
            *(self.snapshots if operations else ()),
            *(self.disruption if destructive and kill_pods else ()),
            *(self.many_files if many_files else ()),
            *(self.price if price else ()),
        )
        return (*self.limits, *self.comparison, *self.scaling, *self.provisioning, *long, *destructives, *moved)

    @property
    def profiles(self) -> set[str]:
        """The names of the profiles that it has limits on."""
        on_profiles: tuple[
            Limit
            | ComparisonRule
            | ScalingLimit
            | SustainedLimit
            | UnderLoadLimit
            | PriceLimit
            | NeighbourLimit
            | SnapshotsLimit
            | HistoryLimit,
            ...,
        ] = (
            *self.limits,
            *self.comparison,
            *self.scaling,
            *self.sustained,
            *self.under_load,
            *self.price,
            *self.neighbours,
            *self.snapshots,
            *self.history,
        )
        return {each.profile for each in on_profiles}

    def limits_for(self, profile: str) -> tuple[Limit, ...]:
        """The limits on this profile; none is no error: the profile is then measured and reported, not judged."""
        return tuple(limit for limit in self.limits if limit.profile == profile)

    def comparison_for(self, profile: str) -> tuple[ComparisonRule, ...]:
        """The comparison rules on this profile."""
        return tuple(rule for rule in self.comparison if rule.profile == profile)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where limits are from; `address` is a URL, or empty where it is not on the web."""

    about: str
    address: str = ""


@dataclass(frozen=True, kw_only=True)
class LimitsFile:
    """All tiers of one file, or of several together. `sources` by the keys that limits name them by."""

    source: str
    tiers: Mapping[str, Tier]
    sources: Mapping[str, Source] = field(default_factory=dict)
    origins: Mapping[str, Mapping[AnyLimit, str]] = field(default_factory=dict)
    """by tier, the tier in which each of its limits was written"""

    def tier(self, name: str) -> Tier:
        """The tier of this name. Raises WrongUsage, naming the tiers there are, when there is none."""
        if name not in self.tiers:
            raise WrongUsage(
                f"{self.source}: wanted one of the tiers {', '.join(self.tiers)}, found {name!r}; "
                "name one of them, or add it to the file"
            )
        return self.tiers[name]
