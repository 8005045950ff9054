"""Storage that stands still now and then gets the verdict of the whole of its time, or none: in simulation."""

from __future__ import annotations

import pytest

from acceptance.measuring.batches import loaded_s
from acceptance.measuring.metric_values import metric_estimate
from acceptance.measuring.stalls import longest_stall
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import LONGEST_S, MINUTE_S
from acceptance.trials.speed.decisions import judge_limit
from selftests.unit.made_limits import made_rule
from selftests.unit.simulated_credits import finding, steady
from selftests.unit.simulated_standstills import (
    Standstills,
    at_least,
    measured,
    no_stall_beyond,
    profile,
    verdicts,
)

RATE = 500.0
RUNS = 12
WAYS = pytest.mark.parametrize("durable", [False, True], ids=["others", "durable"])
# The length of a standstill and how often it comes, in s.
OFTEN = ((2.0, 20.0), (4.0, 20.0), (8.0, 30.0))
SELDOM = (2.5, 300.0)
IOPS = Metric.parse("write.iops")
RULE = made_rule(profile="writes", metric=IOPS, kind="not_worse_than_baseline_by", margin=0.5, because="b")


def storage(kind: tuple[float, float], *, seed: int) -> Standstills:
    return Standstills(rate=RATE, still_s=kind[0], each_s=kind[1], noise=0.05, seed=seed)


def statuses(kind: tuple[float, float], *, durable: bool, times: float, longest_s: float) -> list[str]:
    """Of runs of storage that does so many times its limit."""
    limits = [at_least(RATE / times)]
    return [
        verdict.status
        for seed in range(1, RUNS + 1)
        for verdict in verdicts(storage(kind, seed=seed), limits, durable=durable, longest_s=longest_s)
    ]


@pytest.mark.parametrize("longest_s", [MINUTE_S, LONGEST_S])
@pytest.mark.parametrize(("kind", "durable"), [*((each, False) for each in OFTEN), ((8.0, 30.0), True)])
def test_storage_that_stands_still_often_is_not_taken_for_what_it_does_in_between(
    kind: tuple[float, float], durable: bool, longest_s: float
) -> None:
    assert "pass" not in statuses(kind, durable=durable, times=0.95, longest_s=longest_s)
    assert "fail" not in statuses(kind, durable=durable, times=1.05, longest_s=longest_s)


@WAYS
def test_sound_storage_that_stood_still_once_passes(durable: bool) -> None:
    """Also with a limit on the longest stall; and no turn is an error."""
    for seed in range(1, RUNS + 1):
        asked = [at_least(RATE / 2), no_stall_beyond(10.0)]
        still = storage(SELDOM, seed=seed)
        assert {verdict.status for verdict in verdicts(still, asked, durable=durable)} == {"pass"}
        found = finding(still, profile(durable=durable), limits=asked, rules=[RULE], local=steady(rate=RATE, seed=7))
        assert [found.against(limit).status for limit in asked] == ["pass", "pass"]
        assert found.compare(RULE).status == "pass"


@WAYS
def test_a_standstill_is_seen_wherever_in_a_load_or_a_turn_it_begins(durable: bool) -> None:
    """Of 8 s in each 30, some begin before the first operation of a turn, or in its ramp."""
    for seed in range(1, 6):
        still = storage((8.0, 30.0), seed=seed)
        samples, plan = measured(still, [at_least(RATE)], durable=durable)
        found = finding(still, profile(durable=durable), limits=[], rules=[RULE], local=steady(rate=2.7 * RATE, seed=7))
        assert found.turns is not None
        for each in (samples, found.turns.candidate.samples):
            stall = longest_stall(each)
            assert stall is not None and stall.at_most >= 5.5 and stall.at_least <= 8.5
            assert judge_limit(each, no_stall_beyond(3.0), plan=plan, storage_class="fast").status == "fail"


@pytest.mark.parametrize("kind", OFTEN)
@WAYS
def test_the_rate_of_a_load_without_a_pause_is_that_of_all_time(kind: tuple[float, float], durable: bool) -> None:
    means = []
    for seed in range(1, RUNS + 1):
        samples, plan = measured(storage(kind, seed=seed), [at_least(RATE)], durable=durable)
        found = metric_estimate(IOPS, samples, plan=plan, confidence=0.99)
        assert found is not None and found.low is not None and found.high is not None
        assert loaded_s(samples) >= 59, "a standstill was seen, so it goes on until a minute is full"
        assert found.low <= RATE <= found.high
        means.append(found.mean)
    assert sum(means) / RUNS == pytest.approx(RATE, rel=0.03)
