"""Storage that stands still now and then gets the verdict of the whole of its time, or none: in simulation."""

from __future__ import annotations

import pytest

from acceptance.measuring.batches import loaded_s
from acceptance.measuring.metric_values import metric_estimate
from acceptance.measuring.stalls import longest_stall
from acceptance.results.metrics import Metric
from acceptance.trials.speed.findings import judge_limit
from selftests.unit.simulated_standstills import (
    Standstills,
    Way,
    at_least,
    measured,
    no_stall_beyond,
    verdicts,
)

RATE = 500.0
RUNS = 12
ALONE, IN_TURN, DURABLE, DURABLE_IN_TURN = (False, False), (False, True), (True, False), (True, True)
WAYS = {"alone": ALONE, "in-turn": IN_TURN, "durable": DURABLE, "durable-in-turn": DURABLE_IN_TURN}
# The length of a standstill and how often it comes, in s.
OFTEN = ((2.0, 20.0), (4.0, 20.0), (8.0, 30.0))
SELDOM = (2.5, 300.0)
CELLS = [(each, way) for each in OFTEN for way in (ALONE, IN_TURN)] + [
    ((8.0, 30.0), DURABLE),
    ((2.0, 20.0), DURABLE_IN_TURN),
]


def storage(kind: tuple[float, float], *, seed: int) -> Standstills:
    return Standstills(rate=RATE, still_s=kind[0], each_s=kind[1], noise=0.05, seed=seed)


def statuses(kind: tuple[float, float], way: Way, *, times: float, runs: int = RUNS) -> list[str]:
    """Of runs of storage that does so many times its limit."""
    limits = [at_least(RATE / times)]
    return [
        verdict.status for seed in range(1, runs + 1) for verdict in verdicts(storage(kind, seed=seed), limits, way)
    ]


@pytest.mark.parametrize(("kind", "way"), CELLS)
def test_storage_that_stands_still_often_is_not_taken_for_what_it_does_in_between(
    kind: tuple[float, float], way: Way
) -> None:
    assert "pass" not in statuses(kind, way, times=0.95)
    assert "fail" not in statuses(kind, way, times=1.05)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_sound_storage_that_stood_still_once_passes(way: Way) -> None:
    """Also with a limit on the longest stall; no turn is an error."""
    for seed in range(1, RUNS + 1):
        asked = [at_least(RATE / 2), no_stall_beyond(10.0)]
        assert {verdict.status for verdict in verdicts(storage(SELDOM, seed=seed), asked, way)} == {"pass"}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_standstill_is_seen_wherever_in_a_turn_it_begins(way: Way) -> None:
    """Of 8 s in each 30, some begin before the first operation of a turn, or in its ramp."""
    for seed in range(1, 6):
        samples, plan = measured(storage((8.0, 30.0), seed=seed), [at_least(RATE)], way)
        stall = longest_stall(samples)
        assert stall is not None and stall.at_most >= 5.5 and stall.at_least <= 8.5
        assert judge_limit(samples, no_stall_beyond(3.0), plan=plan, storage_class="fast").status == "fail"


@pytest.mark.parametrize("kind", OFTEN)
@pytest.mark.parametrize("way", [ALONE, DURABLE], ids=["alone", "durable"])
def test_the_rate_of_a_load_without_a_pause_is_that_of_all_time(kind: tuple[float, float], way: Way) -> None:
    means = []
    for seed in range(1, RUNS + 1):
        samples, plan = measured(storage(kind, seed=seed), [at_least(RATE)], way)
        found = metric_estimate(Metric.parse("write.iops"), samples, plan=plan, confidence=0.99)
        assert found is not None and found.low is not None and found.high is not None
        assert loaded_s(samples) >= 59, "a standstill was seen, so it goes on to the end"
        assert found.low <= RATE <= found.high
        means.append(found.mean)
    assert sum(means) / RUNS == pytest.approx(RATE, rel=0.03)
