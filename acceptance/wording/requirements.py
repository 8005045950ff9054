"""What is said of a limit: what it is on, and what it wants. No other code has words for limits."""

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
    "at_most_beside_neighbours": "{metric} {wanted} at {part} of the capacity, beside neighbours at full load",
    "growth_beside_neighbours": "{metric} {wanted} that alone at {part} of the capacity, beside neighbours at full "
    "load",
    "total_at_last_step": "total {metric} at the last step {wanted} of that of the plateau",
    "per_volume": "{metric} of each of {pods} volumes {wanted}",
    "latency_growth": "{metric}, mean over volumes, at the last step {wanted} that of the first",
    "rate_limited": "{metric} of every rate-limited volume {wanted} of its rate{together}",
    "node_scaling": "total {metric} on twice as many nodes {wanted}",
    "largest_volume": "largest volume that is rebuilt in {time_limit}, {profile}: {wanted}",
    "foreground_iops": "{metric} of synchronous writes during a rebuild, {profile}: {wanted} of that before it",
    "foreground_p99": "{metric} of synchronous writes during a rebuild, {profile}: {wanted} that before it",
    "writes_left_with_snapshots": "{metric} of a volume with many snapshots: {wanted} of one without",
}


def described(asked: Requirement) -> str:
    """`write.iops at least 750 IOPS`; of a limit that this suite does not know, its metric and what it wants."""
    known = BOUNDS.get(str(asked.metric))
    said = _BY_RULE.get(asked.rule) or (known.words if known is not None else "{metric} {wanted}")
    operation = TITLES.get(cast(Operation, str(asked.metric).partition(".")[0]), "")
    at = {name: each for name, each in asked.at.items() if name in ("files", "pods", "runs")}
    return said.format(
        metric=asked.metric, profile=asked.profile, operation=operation, wanted=wanted(asked), **_amounts(asked), **at
    )


def wanted(asked: Requirement) -> str:
    """`at least 750 IOPS`, `none`, `at most 16 MiB an hour`"""
    assert asked.bound is not None  # what is held against a limit has one
    known = BOUNDS.get(str(asked.metric), Bound())
    if known.counts:
        amount = _percent(asked.bound) if known.unit == "ratio" else f"{asked.bound:g}"
        return f"at most {amount}" if asked.bound else "none"
    return f"{words_of(asked)} an {known.per}" if known.per else str(words_of(asked))


def _amounts(asked: Requirement) -> dict[str, str]:
    """The conditions that have a unit."""
    at = {name: each for name, each in asked.at.items() if isinstance(each, int | float)}
    said = {"margin": _percent(at["margin"])} if "margin" in at else {}
    part = at.get("of_capacity")
    said["together"] = "" if part is None else f" at {share(part)} of what all surely do"
    if part is not None:
        said["part"] = _percent(part)
    if "time_limit_s" in at:
        said["time_limit"] = format_quantity(at["time_limit_s"], unit="s")
    return said


def _percent(part: float) -> str:
    return f"{part * 100:.4g} %"
