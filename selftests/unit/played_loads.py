"""Loads of two classes that show set figures, and what the shipped rules and limits say of them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from acceptance.judging.limit import judge_comparison
from acceptance.limits.file import load_limits
from acceptance.limits.limit import Limit
from acceptance.limits.tiers import Tier
from acceptance.loads.fio.samples import Sample
from acceptance.measuring.measure import BySegment
from acceptance.measuring.metric_ratio import metric_ratio
from acceptance.results.document import Verdict
from acceptance.statistics.interim_analyses import ALONE, IN_TURN
from acceptance.trials.speed.decisions import judge_limit
from selftests.unit.published_figures import ROOT
from selftests.unit.simulated_load import second

LIMITS = load_limits(ROOT / "thresholds.yaml", profiles={path.stem for path in (ROOT / "profiles").iterdir()})
NOISE = 0.02  # of a second, as a share of the mean
MIB = 1024**2
KIB = 1024

Figures = Mapping[str, tuple[float, float]]
"""By profile: of the local disk and of the candidate. In IOPS, MiB/s for bandwidth, ns for latency."""


def load(profile: str, figure: float, *, random: Random, noise: float = NOISE, cpu: float | None = None) -> BySegment:
    """The load of a full measurement that shows this figure, with some noise."""
    direction = "read" if "-read-" in profile else "write"
    bandwidth, latency = profile.endswith("-bandwidth"), profile.endswith("-latency")
    block_size = 128 * KIB if bandwidth else 4 * KIB

    def one() -> Sample:
        value = figure * random.gauss(1.0, noise)
        latency_s = value / 1e9 if latency else 0.001
        rate = value * MIB / block_size if bandwidth else 1 / latency_s if latency else value
        return second(direction, rate=rate, block_size=block_size, latency_s=latency_s, cpu=cpu)

    return [[one() for _ in range(length)] for length in IN_TURN.segments]


def compared(figures: Figures, *, noise: float = NOISE, cpu: tuple[float, float] | None = None) -> list[Verdict]:
    """All comparison rules of the tier; those on CPU only where it is given, of the local disk and of the candidate."""
    random = Random(20240)
    local_cpu, our_cpu = cpu or (None, None)
    verdicts = []
    for profile, (local, candidate) in figures.items():
        theirs = load(profile, local, random=random, noise=noise, cpu=local_cpu)
        ours = load(profile, candidate, random=random, noise=noise, cpu=our_cpu)
        for rule in LIMITS.tier("baseline").of("comparison", profile=profile):
            if cpu is not None or rule.metric.path != "cpu.per_operation":
                verdicts.append(_compared(rule, ours, theirs))
    return verdicts


def _compared(rule: Limit, ours: BySegment, theirs: BySegment) -> Verdict:
    found = metric_ratio(rule.metric, ours, theirs, plan=IN_TURN)
    return judge_comparison(found, rule, storage_class="candidate", baseline_class="baseline")


def judged(figures: Figures, tier: Tier) -> list[Verdict]:
    """All absolute limits of the tier on the candidate."""
    random = Random(20241)
    return [
        judge_limit(
            [[each for segment in load(profile, candidate, random=random) for each in segment]],
            limit,
            plan=ALONE,
            storage_class="candidate",
        )
        for profile, (_, candidate) in figures.items()
        for limit in tier.of("limits", profile=profile)
    ]
