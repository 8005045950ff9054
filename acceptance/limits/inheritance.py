"""The limits of a tier with all that it inherits, and the limits that no storage can meet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from acceptance.limits.declared import CONTROL_PLANE
from acceptance.limits.history import HISTORY, RUNS
from acceptance.limits.limit import Limit, same_limit
from acceptance.limits.rebuilds import REBUILD, TIME_LIMIT_S
from acceptance.limits.references import PathProblem, ancestors
from acceptance.limits.schema import TierHead
from acceptance.limits.sections import SectionSettings
from acceptance.limits.tiers import Tier
from acceptance.text.quantities import format_quantity

Origins = Mapping[Limit, str]
"""The tier in which each limit was written."""


def resolve_tier(name: str, tiers: Mapping[str, TierHead]) -> tuple[Tier, Origins]:
    """Return the tier with its inherited limits: a limit replaces that of the same profile, metric and kind.

    The youngest tier decides the settings of a whole section: the ramp, a rebuild's time limit, the earlier runs.
    """
    parents = {tier_name: entry.extends for tier_name, entry in tiers.items()}
    family = {ancestor: tiers[ancestor] for ancestor in (*reversed(ancestors(name, parents)), name)}
    entries = list(family.values())
    whole = SectionSettings(
        time_limit_s=_last(entry.section_setting(REBUILD, "time_limit") for entry in entries) or TIME_LIMIT_S,
        runs=_last(entry.section_setting(HISTORY, "runs") for entry in entries) or RUNS,
    )
    limits_by_key: dict[object, tuple[Limit, str]] = {}
    for origin, entry in family.items():
        limits_by_key |= {same_limit(limit): (limit, origin) for limit in entry.own(whole)}
    tier = Tier(
        name=name,
        description=tiers[name].description,
        extends=tiers[name].extends,
        limits=tuple(limit for limit, _ in limits_by_key.values()),
        ramp=_last(entry.section_setting(CONTROL_PLANE, "ramp") for entry in entries),
        rebuild_time_s=whole.time_limit_s,
        requires=tuple(dict.fromkeys(test for entry in entries for test in entry.requires)),
    )
    return tier, dict(limits_by_key.values())


def _last(values: Iterable[Any]) -> Any:
    return next((value for value in reversed(list(values)) if value is not None), None)


def impossible(tier: Tier, origins: Origins) -> Iterator[PathProblem]:
    """Yield limits that no storage can meet, and a tier without any limit; inherited limits count."""
    if not (tier.limits or tier.ramp):
        yield ("tiers", tier.name), "expected at least one limit, its own or inherited, found none; add one"
    if tier.of(CONTROL_PLANE.key) and tier.ramp is None:
        yield ("tiers", tier.name, "control_plane"), "expected the key ramp, its own or inherited, found none; add it"
    for least, upper in contradictions(tier.of("limits")):
        where = ("tiers", tier.name, "limits", least.profile, least.path)
        low, high = (
            f"{format_quantity(limit.bound, unit=limit.unit)} (tier {origins[limit]})" for limit in (least, upper)
        )
        finding = f"found at least {low} and at most {high}"
        yield where, f"expected limits that can be met together, {finding}; change one of them"


def contradictions(limits: Collection[Limit]) -> Iterator[tuple[Limit, Limit]]:
    """Yield the lower and the upper limit on one metric of one profile, if no value can meet both."""
    most = {(limit.profile, limit.path): limit for limit in limits if limit.operator == "at_most"}
    for least in limits:
        upper = most.get((least.profile, least.path))
        if least.operator == "at_least" and upper is not None and least.bound > upper.bound:
            yield least, upper
