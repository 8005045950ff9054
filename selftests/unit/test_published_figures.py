"""Golden: fed with figures that others have published, the suite's own limits come to what those others concluded."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import yaml

from acceptance.judging.limit import judge_comparison
from acceptance.limits.file import load_limits
from acceptance.limits.tiers import Tier
from acceptance.loads.fio.samples import Sample
from acceptance.measuring.measure import BySegment
from acceptance.results.document import Verdict
from acceptance.statistics.interim_analyses import IN_TURN
from acceptance.trials.speed.findings import judge_limit, metric_ratio
from selftests.unit.simulated_load import second

ROOT = Path(__file__).parents[2]
PUBLISHED = yaml.safe_load((ROOT / "selftests/unit/published/single_volume.yaml").read_text(encoding="utf-8"))
SOURCES = ("longhorn-report", "kbench-example")
LIMITS = load_limits(ROOT / "thresholds.yaml", profiles={path.stem for path in (ROOT / "profiles").iterdir()})
NOISE = 0.02  # of a second, as a share of the mean
MIB = 1024**2
KIB = 1024


def load(profile: str, figure: float, *, random: Random, cpu: float | None = None) -> BySegment:
    """The load of a full measurement that shows this figure, in the unit of the published one, with some noise."""
    direction = "read" if "-read-" in profile else "write"
    bandwidth, latency = profile.endswith("-bandwidth"), profile.endswith("-latency")
    block_size = 128 * KIB if bandwidth else 4 * KIB

    def one() -> Sample:
        value = figure * random.gauss(1.0, NOISE)
        latency_s = value / 1e9 if latency else 0.001
        rate = value * MIB / block_size if bandwidth else 1 / latency_s if latency else value
        return second(direction, rate=rate, block_size=block_size, latency_s=latency_s, cpu=cpu)

    return [[one() for _ in range(length)] for length in IN_TURN.segments]


def compared(source: str, *, swapped: bool = False) -> list[Verdict]:
    """All comparison rules of the tier on a source's figures; those without a figure there are left out."""
    random = Random(20240)
    cpu = PUBLISHED.get(f"{source}-cpu", {})
    verdicts = []
    for profile, (local, replicated) in PUBLISHED[source].items():
        local_cpu, replicated_cpu = cpu.get(profile, (None, None))
        theirs = load(profile, local, random=random, cpu=local_cpu and local_cpu / 100)
        ours = load(profile, replicated, random=random, cpu=replicated_cpu and replicated_cpu / 100)
        if swapped:
            ours, theirs = theirs, ours
        verdicts += [
            judge_comparison(
                metric_ratio(rule.metric, ours, theirs, plan=IN_TURN),
                rule,
                storage_class="candidate",
                baseline_class="baseline",
            )
            for rule in LIMITS.tier("baseline").comparison_for(profile)
            if rule.metric.path != "cpu.use" or profile in cpu
        ]
    return verdicts


def judged(source: str, tier: Tier) -> list[Verdict]:
    """All absolute limits of the tier on what a source says of the replicated class."""
    random = Random(20241)
    return [
        judge_limit(
            load(profile, replicated, random=random),
            limit,
            plan=IN_TURN,
            storage_class="candidate",
        )
        for profile, (_, replicated) in PUBLISHED[source].items()
        for limit in tier.limits_for(profile)
    ]


@pytest.mark.parametrize(("source", "rules"), [("longhorn-report", 8), ("kbench-example", 12)])
def test_a_replicated_class_as_published_passes_every_comparison(source: str, rules: int) -> None:
    verdicts = compared(source)
    assert len(verdicts) == rules
    assert [verdict.reason for verdict in verdicts if verdict.status != "pass"] == []


def test_reads_that_exceed_the_local_disk_break_no_rule() -> None:
    figures = PUBLISHED["longhorn-report"]
    faster = {name for name, (local, replicated) in figures.items() if "latency" not in name and replicated > local}
    assert faster == {name for name in figures if "-read-" in name and "latency" not in name}
    assert not faster & {rule.profile for tier in LIMITS.tiers.values() for rule in tier.comparison}


@pytest.mark.parametrize("tier", LIMITS.tiers.values(), ids=lambda tier: tier.name)
@pytest.mark.parametrize("source", SOURCES)
def test_a_replicated_class_as_published_meets_every_tier(source: str, tier: Tier) -> None:
    verdicts = judged(source, tier)
    assert len(verdicts) >= 12
    assert [verdict.reason for verdict in verdicts if verdict.status != "pass"] == []


@pytest.mark.parametrize("source", SOURCES)
def test_a_class_that_is_better_than_local_fails_and_the_likely_cause_is_named(source: str) -> None:
    verdicts = [verdict for verdict in compared(source, swapped=True) if verdict.metric != "cpu.use"]
    passed = {verdict.profile for verdict in verdicts if verdict.status != "fail"}
    # In sequence the report has 80 % of the local bandwidth: less apart than the margin for striping.
    assert passed == ({"sequential-write-bandwidth"} if source == "longhorn-report" else set())
    for verdict in verdicts:
        if verdict.status == "fail":
            cause = "cache" if verdict.metric == "read.latency.mean" else "lost in a power failure"
            assert cause in verdict.reason


def test_a_class_that_costs_seven_times_the_cpu_fails_and_the_likely_cause_is_named() -> None:
    verdicts = [verdict for verdict in compared("kbench-example", swapped=True) if verdict.metric == "cpu.use"]
    assert [verdict.status for verdict in verdicts] == ["fail"] * 4
    assert all("polls or computes on the node" in verdict.reason for verdict in verdicts)
