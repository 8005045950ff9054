"""Limits on metrics that their profile never reports: no measurement, however long, could decide them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from acceptance.limits.history import HistoryLimit
from acceptance.limits.neighbours import SECTION as NEIGHBOURS
from acceptance.limits.neighbours import NeighbourLimit
from acceptance.limits.references import Found
from acceptance.limits.scaling import ScalingLimit
from acceptance.limits.sustained import SustainedLimit
from acceptance.limits.tiers import AnyLimit, ComparisonRule, Limit, Tier
from acceptance.limits.under_load import SECTION as UNDER_LOAD
from acceptance.limits.under_load import UnderLoadLimit
from acceptance.results.metrics import Metric
from acceptance.text.strict_yaml import Path

Missing = Callable[[str, Metric], str | None]
"""Returns why the profile of a name never reports a metric; None if it does, and of profiles that are unknown."""
OnMetric = Limit | ComparisonRule | ScalingLimit | SustainedLimit | UnderLoadLimit | NeighbourLimit | HistoryLimit
_SECTIONS: Mapping[type, Path] = {
    Limit: ("limits",),
    ComparisonRule: ("comparison",),
    SustainedLimit: ("sustained",),
    UnderLoadLimit: (UNDER_LOAD,),
    NeighbourLimit: (NEIGHBOURS,),
    HistoryLimit: ("history", "limits"),
}


def nothing_missing(profile: str, metric: Metric) -> None:
    """Assume that all profiles report all metrics."""


def metric_problem(profile: str, metric: Metric, missing: Missing) -> str | None:
    """Return what is wrong with a limit on that metric of that profile; None if nothing is."""
    why = missing(profile, metric)
    if why is None:
        return None
    return f"wanted a metric that profile {profile} reports, found {metric}: {why}; limit another metric or profile"


def never_reported(tier: Tier, origins: Mapping[AnyLimit, str], missing: Missing) -> Iterator[Found]:
    """Yield the limits of a tier, inherited ones included, on what their profiles never report."""
    on_metrics: tuple[OnMetric, ...] = (
        *tier.limits,
        *tier.comparison,
        *tier.scaling,
        *tier.sustained,
        *tier.under_load,
        *tier.neighbours,
        *tier.history,
    )
    for limit in on_metrics:
        if problem := metric_problem(limit.profile, limit.metric, missing):
            yield ("tiers", origins[limit], *_place_of(limit)), problem


def _place_of(limit: OnMetric) -> Path:
    """The path of a limit below its tier."""
    if isinstance(limit, ScalingLimit):
        return "scaling", limit.profile, limit.kind if limit.kind == "latency_growth" else "metric"
    return *_SECTIONS[type(limit)], limit.profile, str(limit.metric)
