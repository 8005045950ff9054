"""Limits in words: their subject and their bound. No other code has words for limits."""

from __future__ import annotations

from typing import cast

from acceptance.limits.declared import BOUNDS
from acceptance.limits.sections import Bound
from acceptance.results.bounds import words_of
from acceptance.results.operations import TITLES, Operation
from acceptance.results.ratio_words import share
from acceptance.results.requirement import Requirement
from acceptance.text.quantities import format_quantity

_BY_RULE = {
    "not_better_than_baseline_by": "{metric} {wanted} the baseline's",
    "not_worse_than_baseline_by": "{metric} {wanted} the baseline's",
    "not_worse_than_before_by": "{metric} not worse than the accepted level (of {runs} runs) by more than {margin} "
    "beyond noise",
    "at_least_sustained": "{metric} {wanted} at the end of a sustained load",
    "at_most_sustained": "{metric} {wanted} at the end of a sustained load",
    "at_most_under_load": "{metric} {wanted} at {part} of the capacity",
    "at_most_beside_neighbours": "{metric} {wanted} at {part} of the capacity, next to neighbors at full load",
    "growth_beside_neighbours": "{metric} {wanted} its value alone, at {part} of the capacity, next to neighbors at "
    "full load",
    "total_at_last_step": "total {metric} at the last step {wanted} of that of the plateau",
    "per_volume": "{metric} of each of {pods} volumes {wanted}",
    "latency_growth": "{metric}, mean over volumes, at the last step {wanted} that of the first",
    "rate_limited": "{metric} of every rate-limited volume {wanted} of its rate{together}",
    "node_scaling": "total {metric} on twice as many nodes {wanted}",
    "largest_volume": "largest volume that is rebuilt in {time_limit}, {profile}: {wanted}",
    "foreground_iops": "{metric} of synchronous writes during a rebuild, {profile}: {wanted} of that before it",
    "foreground_p99": "{metric} of synchronous writes during a rebuild, {profile}: {wanted} that before it",
    "writes_left_with_snapshots": "{metric} of a volume with many snapshots: {wanted} of one without snapshots",
}


def describe_requirement(requirement: Requirement) -> str:
    """Return `write.iops at least 750 IOPS`; for a limit that this suite does not know, its metric and its bound."""
    bound = BOUNDS.get(str(requirement.metric))
    template = _BY_RULE.get(requirement.rule) or (bound.words if bound is not None else "{metric} {wanted}")
    operation = TITLES.get(cast(Operation, str(requirement.metric).partition(".")[0]), "")
    at = {name: value for name, value in requirement.at.items() if name in ("files", "pods", "runs")}
    return template.format(
        metric=requirement.metric,
        profile=requirement.profile,
        operation=operation,
        wanted=bound_in_words(requirement),
        **_amounts(requirement),
        **at,
    )


def bound_in_words(requirement: Requirement) -> str:
    """Return the bound in words: `at least 750 IOPS`, `none`, `at most 16 MiB an hour`."""
    assert requirement.bound is not None  # a limit has a bound
    bound = BOUNDS.get(str(requirement.metric), Bound())
    if bound.counts:
        amount = _percent(requirement.bound) if bound.unit == "ratio" else f"{requirement.bound:g}"
        return f"at most {amount}" if requirement.bound else "none"
    return f"{words_of(requirement)} an {bound.per}" if bound.per else str(words_of(requirement))


def _amounts(requirement: Requirement) -> dict[str, str]:
    """Return the conditions that have a unit, in words."""
    at = {name: value for name, value in requirement.at.items() if isinstance(value, int | float)}
    amounts = {"margin": _percent(at["margin"])} if "margin" in at else {}
    part = at.get("of_capacity")
    amounts["together"] = "" if part is None else f" at {share(part)} of the certain total"
    if part is not None:
        amounts["part"] = _percent(part)
    if "time_limit_s" in at:
        amounts["time_limit"] = format_quantity(at["time_limit_s"], unit="s")
    return amounts


def _percent(part: float) -> str:
    return f"{part * 100:.4g} %"
