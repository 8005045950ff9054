"""Limits on metrics that their profile never reports: no measurement, however long, could decide them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from acceptance.limits.limit import Limit
from acceptance.limits.references import PathProblem
from acceptance.limits.tiers import Tier
from acceptance.limits.under_load import NEIGHBOURS, UNDER_LOAD
from acceptance.results.metrics import Metric
from acceptance.text.strict_yaml import Path

Missing = Callable[[str, Metric], str | None]
"""A function that returns why a profile never reports a metric; None if it does, or if the profile is unknown."""
_ON_METRICS: Mapping[str, Path] = {
    **{key: (key,) for key in ("limits", "comparison", "scaling", "sustained", UNDER_LOAD.key, NEIGHBOURS.key)},
    "history": ("history", "limits"),
}
"""The sections with limits on metrics of profiles, and the paths of the profiles in a tier."""


def nothing_missing(profile: str, metric: Metric) -> None:
    """Assume that all profiles report all metrics."""


def metric_problem(profile: str, metric: Metric, missing: Missing) -> str | None:
    """Return what is wrong with a limit on that metric of that profile; None if nothing is."""
    why = missing(profile, metric)
    if why is None:
        return None
    return f"expected a metric that profile {profile} reports, found {metric}: {why}; limit another metric or profile"


def unreported_limits(tier: Tier, origins: Mapping[Limit, str], missing: Missing) -> Iterator[PathProblem]:
    """Yield the limits of a tier, inherited ones included, on what their profiles never report."""
    for limit in tier.limits:
        if limit.section in _ON_METRICS and (problem := metric_problem(limit.profile, limit.metric, missing)):
            path = (*_ON_METRICS[limit.section], limit.profile, _key(limit))
            yield ("tiers", origins[limit], *path), problem


def _key(limit: Limit) -> str:
    """Return the key of the metric in a profile's limits."""
    if limit.section == "scaling":
        return limit.rule if limit.rule == "latency_growth" else "metric"
    return limit.path
