"""The shipped rules and limits on an honest replicated class, and on classes that cannot be honest."""

from __future__ import annotations

import pytest

from acceptance.limits.tiers import Tier
from selftests.unit.played_loads import LIMITS, Figures, compared, judged

# Set by hand: replicas serve reads together, take writes one after the other, and are a network away.
HONEST: Figures = {
    "random-read-iops": (10_000, 20_000),
    "sequential-read-iops": (10_000, 40_000),
    "random-write-iops": (10_000, 2_500),
    "sequential-write-iops": (10_000, 2_500),
    "random-read-bandwidth": (400, 800),
    "sequential-read-bandwidth": (400, 800),
    "random-write-bandwidth": (400, 150),
    "sequential-write-bandwidth": (400, 150),
    "random-read-latency": (500_000, 800_000),
    "sequential-read-latency": (500_000, 800_000),
    "random-write-latency": (800_000, 2_000_000),
    "sequential-write-latency": (800_000, 2_000_000),
}
WITH_CPU = {name: pair for name, pair in HONEST.items() if name.endswith("-latency")}


def swapped(figures: Figures) -> Figures:
    """The candidate is the faster one where it was the slower."""
    return {name: (candidate, local) for name, (local, candidate) in figures.items()}


def test_an_honest_replicated_class_passes_every_comparison() -> None:
    verdicts = compared(HONEST)
    assert len(verdicts) == 8
    assert [verdict.reason for verdict in verdicts if verdict.status != "pass"] == []


def test_reads_that_exceed_the_local_disk_break_no_rule() -> None:
    faster = {name for name, (local, candidate) in HONEST.items() if "latency" not in name and candidate > local}
    assert faster == {name for name in HONEST if "-read-" in name and "latency" not in name}
    assert not faster & {rule.profile for tier in LIMITS.tiers.values() for rule in tier.of("comparison")}


@pytest.mark.parametrize("tier", LIMITS.tiers.values(), ids=lambda tier: tier.name)
def test_an_honest_replicated_class_meets_every_tier(tier: Tier) -> None:
    verdicts = judged(HONEST, tier)
    assert len(verdicts) >= 12
    assert [verdict.reason for verdict in verdicts if verdict.status != "pass"] == []


def test_a_class_that_is_better_than_local_fails_and_the_likely_cause_is_named() -> None:
    verdicts = compared(swapped(HONEST))
    assert [verdict.status for verdict in verdicts] == ["fail"] * 8
    for verdict in verdicts:
        cause = "cache" if verdict.metric == "read.latency.mean" else "lost in a power failure"
        assert cause in verdict.reason


def test_a_class_that_costs_seven_times_the_cpu_fails_and_the_likely_cause_is_named() -> None:
    verdicts = [verdict for verdict in compared(WITH_CPU, cpu=(0.04, 0.28)) if verdict.metric == "cpu.per_operation"]
    assert [verdict.status for verdict in verdicts] == ["fail"] * 4
    assert all("polls or computes on the node" in verdict.reason for verdict in verdicts)
    cheaper = [verdict for verdict in compared(WITH_CPU, cpu=(0.28, 0.04)) if verdict.metric == "cpu.per_operation"]
    assert [verdict.status for verdict in cheaper] == ["pass"] * 4


def test_slow_storage_is_not_cheap_because_it_does_fewer_operations() -> None:
    """Ten times as slow, a quarter of the CPU time a second: that is 2.5 times as much for each operation."""
    slow = dict.fromkeys(WITH_CPU, (100000.0, 1000000.0))
    verdicts = [verdict for verdict in compared(slow, cpu=(0.4, 0.1)) if verdict.metric == "cpu.per_operation"]
    assert [verdict.status for verdict in verdicts] == ["fail"] * 4
    assert [verdict.measured for verdict in verdicts] == [pytest.approx(2.5, rel=0.05)] * 4
