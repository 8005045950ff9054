"""Limits as files of limits make them, for tests of what is done with them."""

from __future__ import annotations

from acceptance.limits.declared import CONTROL_OPERATIONS, CONTROL_PLANE, MANY_FILES, PRICE, SNAPSHOTS
from acceptance.limits.limit import Limit
from acceptance.limits.speed import RuleKind, comparison_rule, speed_limit
from acceptance.limits.tiers import Tier
from acceptance.results.metrics import Metric
from acceptance.wording.requirements import describe_requirement


def made_limit(
    *, profile: str, metric: Metric, at_least: float | None = None, at_most: float | None = None, because: str
) -> Limit:
    assert (at_least is None) != (at_most is None)
    if at_least is not None:
        return speed_limit(profile, metric, "at_least", at_least, because=because)
    assert at_most is not None
    return speed_limit(profile, metric, "at_most", at_most, because=because)


def made_rule(*, profile: str, metric: Metric, kind: RuleKind, margin: float, because: str) -> Limit:
    return comparison_rule(profile, metric, kind, margin, because=because)


def of_control_plane(path: str, bound: float, because: str) -> Limit:
    return CONTROL_PLANE.limit(path, bound, because=because)


def of_files(aspect: str, at_most: float, *, files: int, because: str) -> Limit:
    return MANY_FILES.limit(aspect, at_most, because=because, at={"files": files})


def of_operations(path: str, at_most: float, because: str) -> Limit:
    """`path`: `bind.p95`, or `failed`."""
    return CONTROL_OPERATIONS.limit(path, at_most, because=because)


def of_price(profile: str, path: str, at_most: float, because: str) -> Limit:
    return PRICE.limit(path, at_most, profile=profile, because=because)


def of_snapshots(at_least: float, because: str) -> Limit:
    return SNAPSHOTS.limit("write.iops", at_least, because=because)


def tier_with(*limits: Limit) -> Tier:
    return Tier(name="t", description="d", extends=None, limits=limits)


def words_of(limit: Limit) -> str:
    """As verdicts and `limits` print it."""
    return describe_requirement(limit.requirement)


def asked(tier: Tier, *options: str) -> tuple[Limit, ...]:
    """What a class is asked for with these options, but for what is always asked for."""
    least = tier.asked_with(())
    return tuple(each for each in tier.asked_with(options) if each not in least)
