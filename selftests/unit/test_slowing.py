"""Storage that slows down while it is loaded: found, told, no early pass, and judged on what it does to the end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from acceptance.judging.rejudging import contradictions
from acceptance.limits.limit import Limit
from acceptance.measuring.lasting import LASTING_S, slowing, warm_up_s
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import ALONE, DURABLE, AnalysisPlan
from acceptance.statistics.one_change import slowed_down_after
from acceptance.trials.speed.decisions import are_decided, judge_limit
from acceptance.trials.speed.findings import Finding
from selftests.unit.compared_runs import run_of
from selftests.unit.made_limits import made_limit
from selftests.unit.simulated_load import second
from selftests.unit.simulated_storage import noise, normal
from selftests.unit.test_early_look import recorded, writes

RUNS = 1000


def limit(at_least: float) -> Limit:
    return made_limit(profile="writes", metric=Metric.parse("write.iops"), at_least=at_least, because="b")


def series(*stretches: tuple[int, float], cv: float = 0.05, seed: int = 1) -> list[float]:
    """So many seconds each at a rate, with noise."""
    random = Random(seed)
    return [rate * (1 + random.gauss(0, cv)) for seconds, rate in stretches for _ in range(seconds)]


def finding(rates: list[float], *, plan: AnalysisPlan = ALONE) -> Finding:
    return Finding(candidate=recorded([writes(*rates)]), plan=plan)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("seconds", [12, 24, 36, 60])
@pytest.mark.parametrize("cv", [0.05, 0.3])
def test_noise_alone_is_hardly_ever_taken_for_a_slowing(correlation: float, seconds: int, cv: float) -> None:
    runs = [[normal(each, cv) for each in run[:seconds]] for run in noise(correlation, 60)[:RUNS]]
    found = sum(slowed_down_after(run) is not None for run in runs)
    assert found <= 0.01 * RUNS


@pytest.mark.parametrize(("before_s", "after_s", "times"), [(4, 8, 0.4), (4, 56, 0.7), (40, 20, 0.7), (57, 3, 0.5)])
def test_a_step_down_is_found_where_it_came(before_s: int, after_s: int, times: float) -> None:
    for seed in range(1, 21):
        place = slowed_down_after(series((before_s, 1000), (after_s, 1000 * times), seed=seed))
        assert place is not None and abs(place - before_s) <= 1


def test_what_is_too_little_too_short_upwards_or_a_standstill_is_none() -> None:
    assert slowed_down_after(series((20, 1000), (40, 950), cv=0.001)) is None
    assert slowed_down_after(series((3, 1000), (2, 100))) is None
    assert slowed_down_after(series((20, 1000), (40, 2000))) is None
    assert slowed_down_after([*series((20, 1000)), 0.0, 0.0, *series((20, 300))]) is None
    with pytest.raises(ValueError, match="expected finite values of at least zero"):
        slowed_down_after([1.0, math.nan])


@pytest.mark.parametrize("rates", [[1000.0] * 12, [1000.0] * 5 + [500.0] * 55])
def test_without_any_noise_it_is_found_too(rates: list[float]) -> None:
    assert slowed_down_after(rates) == (5 if 500.0 in rates else None)


@pytest.mark.parametrize(("plan", "looks"), [(ALONE, (12, 24, 36)), (DURABLE, (40,))])
def test_what_slows_down_passes_at_no_look_before_the_last(plan: AnalysisPlan, looks: tuple[int, ...]) -> None:
    """Though all of it was far above the limit: it may slow down further."""
    for seconds in looks:
        rates = series((6, 5000), (seconds - 6, 2000))
        assert not are_decided([limit(100)], [writes(*rates)], plan=plan)
        assert are_decided([limit(100)], [writes(*series((seconds, 2000)))], plan=plan)


@pytest.mark.parametrize(("asked", "status"), [(450, "pass"), (550, "fail")])
@pytest.mark.parametrize("plan", [ALONE, DURABLE], ids=["alone", "durable"])
def test_at_the_end_it_is_judged_on_what_it_did_since(asked: float, status: str, plan: AnalysisPlan) -> None:
    found = finding(series((30, 2000), (30, 500)), plan=plan)
    verdict = found.against(limit(asked))
    assert (verdict.status, verdict.measured) == (status, pytest.approx(500, rel=0.05))
    told = "storage slowed down after 30 s of load, to 0.25x of its earlier speed"
    assert (told[:40] in verdict.reason) is (status == "fail")
    (measurement,) = found.measurements
    assert measurement.slowed_down_after_s == 30 and any(told[:36] in warning for warning in measurement.warnings)
    assert (measurement.metrics["write.iops"].samples, len(measurement.series["write.iops"])) == (30, 60)
    results = run_of(measurement, verdicts=[verdict]).model_copy(update={"overall": status})
    assert [contradiction for contradiction in contradictions(results) if "overall" not in contradiction] == []


def test_what_slowed_down_just_before_the_end_does_not_pass() -> None:
    """Nobody knows whether that lasts."""
    late = finding(series((60 - LASTING_S + 5, 2000), (LASTING_S - 5, 1500)))
    assert late.against(limit(100)).status == "inconclusive"
    assert late.against(limit(100_000)).status == "fail"


def ended(run: Sequence[float], asked: Limit, *, plan: AnalysisPlan) -> str:
    """What the first look that decides says, of rates second by second; at the last one whatever it says."""
    samples = [second("write", rate=1000 * each, block_size=4096) for each in run]
    seen = (judge_limit([samples[:look]], asked, plan=plan, storage_class="fast").status for look in plan.looks)
    return next((each for each in seen if each != "inconclusive"), "inconclusive")


@pytest.mark.parametrize("plan", [ALONE, DURABLE], ids=["alone", "durable"])
@pytest.mark.parametrize(
    ("cv", "asked"), [*product((0.05, 0.15), (0.36, 0.39, 0.5, 0.65, 0.8, 0.95)), *product((0.3,), (0.5, 0.8))]
)
def test_what_is_fast_for_half_a_minute_and_then_a_third_passes_no_limit_between(
    asked: float, cv: float, plan: AnalysisPlan
) -> None:
    """Nor one that it misses by a tenth afterwards: each look before the 30 s asks for three times the limit."""
    runs = [
        [normal(each, cv) * (1.0 if at < 30 else 1 / 3) for at, each in enumerate(run[: plan.cap])]
        for run in noise(0.3, 60)[:100]
    ]
    passed = sum(ended(run, limit(1000 * asked), plan=plan) == "pass" for run in runs)
    assert passed <= 0.01 * len(runs)


@pytest.mark.parametrize("plan", [ALONE, DURABLE], ids=["alone", "durable"])
@pytest.mark.parametrize("cv", [0.15, 0.3])
def test_looking_for_a_slowing_costs_no_wrong_verdict_at_5_percent(cv: float, plan: AnalysisPlan) -> None:
    """Noise that is taken for one has a part of the load judged, the slower one."""
    runs = [[normal(each, cv) for each in run[: plan.cap]] for run in noise(0.5, 60)[:300]]
    for times, never in ((0.95, "pass"), (1.05, "fail")):
        assert sum(ended(run, limit(1000 / times), plan=plan) == never for run in runs) <= 0.01 * len(runs)


def test_in_turn_nothing_is_taken_for_a_slowing() -> None:
    """What rests is faster at first, and that has a test of its own."""
    assert slowing([writes(*series((5, 2000), (10, 500)))] * 2) is None


def test_what_is_slow_again_later_was_not_warming_up() -> None:
    first = writes(*series((10, 500), (14, 2000)))
    assert warm_up_s([first, writes(*series((30, 2000), seed=2))]) == 10
    assert warm_up_s([first, writes(*series((20, 2000), (10, 500), seed=2))]) == 0
