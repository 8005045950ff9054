"""What a tier asks for with all that it inherits, and whether that can be met."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from acceptance.limits.declared import CONTROL_PLANE
from acceptance.limits.history import HISTORY, RUNS
from acceptance.limits.limit import Limit, same_limit
from acceptance.limits.rebuilds import REBUILD, TIME_LIMIT_S
from acceptance.limits.references import Found, ancestors
from acceptance.limits.schema import TierHead
from acceptance.limits.sections import Inherited
from acceptance.limits.tiers import Tier
from acceptance.text.quantities import format_quantity

Origins = Mapping[Limit, str]
"""The tier in which each limit was written."""


def inherited(name: str, tiers: Mapping[str, TierHead]) -> tuple[Tier, Origins]:
    """The tier with what it inherits: a limit replaces that of the same profile, metric and kind.

    Of what holds for a whole section the youngest tier decides: how to ramp, a rebuild's time, how many earlier runs.
    """
    parents = {each: entry.extends for each, entry in tiers.items()}
    family = {ancestor: tiers[ancestor] for ancestor in (*reversed(ancestors(name, parents)), name)}
    entries = list(family.values())
    whole = Inherited(
        time_limit_s=_last(each.said(REBUILD, "time_limit") for each in entries) or TIME_LIMIT_S,
        runs=_last(each.said(HISTORY, "runs") for each in entries) or RUNS,
    )
    found: dict[object, tuple[Limit, str]] = {}
    for origin, entry in family.items():
        found |= {same_limit(each): (each, origin) for each in entry.own(whole)}
    tier = Tier(
        name=name,
        description=tiers[name].description,
        extends=tiers[name].extends,
        limits=tuple(limit for limit, _ in found.values()),
        ramp=_last(each.said(CONTROL_PLANE, "ramp") for each in entries),
        rebuild_time_s=whole.time_limit_s,
        requires=tuple(dict.fromkeys(test for each in entries for test in each.requires)),
    )
    return tier, dict(found.values())


def _last(said: Iterable[Any]) -> Any:
    return next((each for each in reversed(list(said)) if each is not None), None)


def impossible(tier: Tier, origins: Origins) -> Iterator[Found]:
    """Limits that nothing can meet, and a tier that asks for nothing; inherited limits count."""
    if not (tier.limits or tier.ramp):
        yield ("tiers", tier.name), "wanted at least one limit, its own or inherited, found none; add one"
    if tier.of(CONTROL_PLANE.key) and tier.ramp is None:
        yield ("tiers", tier.name, "control_plane"), "wanted the key ramp, its own or inherited, found none; add it"
    for least, upper in contradictions(tier.of("limits")):
        where = ("tiers", tier.name, "limits", least.profile, least.path)
        low, high = (f"{format_quantity(each.bound, unit=each.unit)} (tier {origins[each]})" for each in (least, upper))
        found = f"found at least {low} and at most {high}"
        yield where, f"wanted limits that can be met together, {found}; change one of them"


def contradictions(limits: Collection[Limit]) -> Iterator[tuple[Limit, Limit]]:
    """The least and the most that are asked of one metric of one profile, where nothing can be both."""
    most = {(limit.profile, limit.path): limit for limit in limits if limit.operator == "at_most"}
    for least in limits:
        upper = most.get((least.profile, least.path))
        if least.operator == "at_least" and upper is not None and least.bound > upper.bound:
            yield least, upper
