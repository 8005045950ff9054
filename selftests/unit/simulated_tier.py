"""A whole run of a tier on simulated storage: 18 profiles, each with one limit, through the runner of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acceptance.limits.tiers import Tier
from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import LONGEST_S
from acceptance.trials.speed.runner import SpeedRunner
from selftests.unit.made_limits import made_limit, tier_with
from selftests.unit.simulated_credits import ReadyBench
from selftests.unit.simulated_standstills import Storage, profile

PROFILES = 18
CLEAR = 5.0
"""How far storage is from the limits that are not near."""


def run_tier(
    storage: Storage,
    *,
    rate: float,
    profiles: int = PROFILES,
    longest_s: float = LONGEST_S,
    near: int = PROFILES,
    in_visits: bool = True,
) -> tuple[list[Verdict], float]:
    """Return the verdict on the limit of each of the `near` profiles, and how long the loads took in s.

    The others' limits are far. `in_visits`: False for each profile alone, without a pause.
    """
    metric = Metric.parse("write.iops")
    all_profiles = [replace(profile(durable=False), name=f"writes-{number}") for number in range(profiles)]
    limits = [
        made_limit(profile=each.name, metric=metric, at_least=rate if number < near else rate / CLEAR, because="b")
        for number, each in enumerate(all_profiles)
    ]
    bench = ReadyBench({"fast": storage})
    begun_s = bench.now_s
    runner = _runner(
        bench, tier_with(*limits), [(each, "fast") for each in all_profiles if in_visits], longest_s=longest_s
    )
    verdicts = [
        runner.finding(each, storage_class="fast").against(limit)
        for each, limit in zip(all_profiles[:near], limits, strict=False)
    ]
    return verdicts, bench.now_s - begun_s


def _runner(bench: ReadyBench, tier: Tier, selected: Sequence[tuple], *, longest_s: float) -> SpeedRunner:
    return SpeedRunner(
        bench,
        baseline_class=None,
        node=None,
        tier=tier,
        report=lambda _: None,
        preparing=lambda *_: None,
        keep=lambda _: None,
        selected=selected,
        longest_s=longest_s,
    )
