"""Golden: what the suite makes of one volume's published writes is what thresholds.yaml takes its limits from."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.limits.tiers import Tier
from selftests.unit.played_loads import LIMITS, compared, judged
from selftests.unit.published_figures import published, said_in_limits

PUBLISHED = published("single_volume")


def shares_are_those_that_limits_are_taken_from(figures: dict[str, Any]) -> None:
    """The ratio that the suite computes of both classes, in whole percent."""
    percent = {each.profile: round(100 * (each.measured or 0.0)) for each in compared(figures, noise=0.0)}
    iops = [percent[f"{order}-write-iops"] for order in ("random", "sequential")]
    assert said_in_limits("({} % of its IOPS at random, {} % in sequence)".format(*iops)), iops
    bandwidth = [percent[f"{order}-write-bandwidth"] for order in ("random", "sequential")]
    assert said_in_limits(
        "(The Longhorn report reached {} % and {} % of the local disk's bandwidth.)".format(*bandwidth)
    )
    every = sorted(percent.values())
    assert said_in_limits(f"(the Longhorn report: {every[0]} to {every[-1]} % of the local disk)")


def what_the_class_reached_is_said_beside_the_limits_of_production(figures: dict[str, Any]) -> None:
    iops, bandwidth = (
        [round(figures[f"{order}-write-{what}"][1]) for order in ("random", "sequential")]
        for what in ("iops", "bandwidth")
    )
    assert said_in_limits(f"({iops[0]:,} and {iops[1]:,} IOPS, {bandwidth[0]} and {bandwidth[1]} MiB/s)")


COMPARISONS = (
    shares_are_those_that_limits_are_taken_from,
    what_the_class_reached_is_said_beside_the_limits_of_production,
)


@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda each: each.__name__)
def test_published_writes(comparison: Any) -> None:
    comparison(PUBLISHED)


def test_the_class_as_published_passes_every_comparison() -> None:
    verdicts = compared(PUBLISHED)
    assert len(verdicts) == 4
    assert [verdict.reason for verdict in verdicts if verdict.status != "pass"] == []


@pytest.mark.parametrize("tier", LIMITS.tiers.values(), ids=lambda tier: tier.name)
def test_the_class_as_published_meets_every_tier(tier: Tier) -> None:
    verdicts = judged(PUBLISHED, tier)
    assert len(verdicts) >= 4
    assert [verdict.reason for verdict in verdicts if verdict.status != "pass"] == []
