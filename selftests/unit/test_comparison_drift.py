"""A machine that changes its speed while two classes are compared must not make their verdict."""

from __future__ import annotations

from random import Random
from statistics import fmean

import pytest

from acceptance.loads.fio.samples import Sample
from acceptance.measuring.metric_ratio import metric_ratio
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import DURABLE_IN_TURN, IN_TURN, AnalysisPlan
from acceptance.statistics.ratios import Ratio
from selftests.unit.simulated_load import second

PLANS = {
    "short segments": IN_TURN,
    "long segments": DURABLE_IN_TURN,
}
CASES = [pytest.param(plan, rounds, id=f"{name}-{rounds}") for name, plan in PLANS.items() for rounds in plan.rounds]
RUNS = 200
TRUE = 0.4


def compared(
    metric: str, *, plan: AnalysisPlan, rounds: int, halved_after_s: int, random: Random, alternating: bool = True
) -> Ratio:
    """A comparison of so many rounds on a device whose speed falls in a straight line, to half after so long.

    The candidate does `TRUE` times what the baseline does, and takes so much longer for it; 5 % noise a second.
    """
    taken: dict[str, list[list[Sample]]] = {"baseline": [], "candidate": []}
    passed = 0
    for number, segment_s in enumerate(plan.segments[:rounds]):
        order = ("candidate", "baseline") if alternating and number % 2 else ("baseline", "candidate")
        for role in order:
            segment = []
            for _ in range(segment_s):
                speed = (1 - 0.5 * (passed + 0.5) / halved_after_s) * random.gauss(1.0, 0.05)
                speed *= TRUE if role == "candidate" else 1.0
                segment.append(second("write", rate=20_000 * speed, block_size=4096, latency_s=0.0001 / speed))
                passed += 1
            taken[role].append(segment)
    return metric_ratio(Metric.parse(metric), taken["candidate"], taken["baseline"], plan=plan)


def many(
    metric: str, *, plan: AnalysisPlan, rounds: int, halved_after_s: int | None = None, alternating: bool = True
) -> list[Ratio]:
    """Such comparisons, on a device that is down to half at the end of the plan unless it says otherwise."""
    random = Random(20240 + rounds)
    after_s = halved_after_s or 2 * plan.cap
    return [
        compared(metric, plan=plan, rounds=rounds, halved_after_s=after_s, random=random, alternating=alternating)
        for _ in range(max(20, RUNS // rounds))
    ]


def error(found: list[Ratio], *, true: float) -> float:
    return fmean(each.value for each in found if each.value is not None) / true - 1


@pytest.mark.parametrize(("plan", "rounds"), CASES)
@pytest.mark.parametrize(("metric", "true"), [("write.iops", TRUE), ("write.latency.mean", 1 / TRUE)])
def test_a_device_that_slows_down_by_half_leaves_the_ratio_within_3_percent(
    metric: str, true: float, plan: AnalysisPlan, rounds: int
) -> None:
    found = many(metric, plan=plan, rounds=rounds)
    assert all(each.value is not None for each in found)
    assert abs(error(found, true=true)) <= 0.03


@pytest.mark.parametrize(("plan", "rounds"), CASES)
def test_even_when_that_happens_before_the_look_the_interval_holds_the_true_ratio(
    plan: AnalysisPlan, rounds: int
) -> None:
    found = many("write.iops", plan=plan, rounds=rounds, halved_after_s=2 * sum(plan.segments[:rounds]))
    # Most after two rounds of 2 s each: the bend of so steep a fall is left over.
    assert abs(error(found, true=TRUE)) <= (0.04 if rounds == 2 else 0.03)
    held = sum(each.low is not None and each.high is not None and each.low <= TRUE <= each.high for each in found)
    assert held >= 0.95 * len(found)


def test_without_alternating_the_drift_would_fall_on_the_candidate() -> None:
    found = many("write.iops", plan=IN_TURN, rounds=2, halved_after_s=8, alternating=False)
    assert error(found, true=TRUE) < -0.10
