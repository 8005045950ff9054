"""What a tier asks for with all that it inherits, and whether that can be met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from acceptance.limits.crashes import FailoverLimit
from acceptance.limits.disruptions import DisruptionLimit
from acceptance.limits.history import RUNS, HistoryLimit
from acceptance.limits.many_files import ManyFilesLimit
from acceptance.limits.neighbours import NeighbourLimit
from acceptance.limits.operations import OperationLimit
from acceptance.limits.price import PriceLimit
from acceptance.limits.provisioning import ProvisioningLimit
from acceptance.limits.ramps import ControlPlaneLimit
from acceptance.limits.rebuilds import TIME_LIMIT_S, RebuildLimit
from acceptance.limits.references import Found, ancestors
from acceptance.limits.scaling import ScalingLimit
from acceptance.limits.schema import TierEntry
from acceptance.limits.snapshots import SnapshotsLimit
from acceptance.limits.sustained import SustainedLimit
from acceptance.limits.tiers import AnyLimit, ComparisonRule, Limit, Tier
from acceptance.limits.under_load import UnderLoadLimit
from acceptance.text.quantities import format_quantity

Origins = Mapping[AnyLimit, str]
"""The tier in which each limit was written."""
T = TypeVar("T")


def inherited(name: str, tiers: Mapping[str, TierEntry]) -> tuple[Tier, Origins]:
    """The tier with what it inherits: a limit replaces that of the same profile, metric and kind.

    Of what holds for a whole section the youngest tier decides: how to ramp, a rebuild's time, how many earlier runs.
    """
    parents = {each: entry.extends for each, entry in tiers.items()}
    family = {each: tiers[each] for each in (*reversed(ancestors(name, parents)), name)}
    entries = list(family.values())
    time_limit_s = _last(each.rebuild.time_limit for each in entries if each.rebuild) or TIME_LIMIT_S
    runs = _last(each.history.runs for each in entries if each.history) or RUNS
    found: dict[object, tuple[AnyLimit, str]] = {}
    for origin, entry in family.items():
        found |= {same_limit(each): (each, origin) for each in entry.own(time_limit_s=time_limit_s, runs=runs)}
    limits = [limit for limit, _ in found.values()]
    tier = Tier(
        name=name,
        description=tiers[name].description,
        extends=tiers[name].extends,
        limits=_of(Limit, limits),
        comparison=_of(ComparisonRule, limits),
        scaling=_of(ScalingLimit, limits),
        control_plane=_of(ControlPlaneLimit, limits),
        ramp=_last(each.control_plane.ramp for each in entries if each.control_plane),
        rebuild=_of(RebuildLimit, limits),
        failover=_of(FailoverLimit, limits),
        disruption=_of(DisruptionLimit, limits),
        provisioning=_of(ProvisioningLimit, limits),
        sustained=_of(SustainedLimit, limits),
        under_load=_of(UnderLoadLimit, limits),
        price=_of(PriceLimit, limits),
        neighbours=_of(NeighbourLimit, limits),
        operations=_of(OperationLimit, limits),
        snapshots=_of(SnapshotsLimit, limits),
        many_files=_of(ManyFilesLimit, limits),
        history=_of(HistoryLimit, limits),
        requires=tuple(dict.fromkeys(test for each in entries for test in each.requires)),
    )
    return tier, dict(found.values())


def same_limit(limit: AnyLimit) -> object:
    """What is the same for a limit and for that of a parent which it replaces."""
    if isinstance(limit, ScalingLimit):  # the growth of latency has one metric at a time
        return ScalingLimit, limit.profile, limit.kind, limit.pods
    return type(limit), limit.profile, str(limit.metric), limit.kind


def _last(said: Iterable[T | None]) -> T | None:
    return next((each for each in reversed(list(said)) if each is not None), None)


def _of(kind: type[T], limits: Sequence[object]) -> tuple[T, ...]:
    return tuple(each for each in limits if isinstance(each, kind))


def impossible(tier: Tier, origins: Origins) -> Iterator[Found]:
    """Limits that nothing can meet, and a tier that asks for nothing; inherited limits count."""
    if not (tier.all_requirements or tier.history or tier.ramp):
        yield ("tiers", tier.name), "wanted at least one limit, its own or inherited, found none; add one"
    if tier.control_plane and tier.ramp is None:
        yield ("tiers", tier.name, "control_plane"), "wanted the key ramp, its own or inherited, found none; add it"
    most = {(limit.profile, limit.metric.path): limit for limit in tier.limits if limit.kind == "at_most"}
    for least in tier.limits:
        upper = most.get((least.profile, least.metric.path))
        if least.kind == "at_least" and upper is not None and least.value > upper.value:
            where = ("tiers", tier.name, "limits", least.profile, least.metric.path)
            low, high = (
                f"{format_quantity(each.value, unit=each.metric.unit)} (tier {origins[each]})"
                for each in (least, upper)
            )
            found = f"found at least {low} and at most {high}"
            yield where, f"wanted limits that can be met together, {found}; change one of them"
