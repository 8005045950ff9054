"""Limits are judged on a load without a pause: storage that is faster after a rest gets no verdict for its rest."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from acceptance.measuring.metric_values import metric_value
from acceptance.results.metrics import Metric
from acceptance.trials.speed.findings import Finding
from selftests.unit.made_limits import made_rule
from selftests.unit.simulated_credits import Credits, finding, steady
from selftests.unit.simulated_standstills import at_least, profile

RATE = 500.0
RUNS = 16
IOPS = Metric.parse("write.iops")
RULE = made_rule(profile="writes", metric=IOPS, kind="not_better_than_baseline_by", margin=0.2, because="b")
# By how many times it is faster with credits, and how many seconds of its rate these are.
KINDS = ((1.5, 4.0), (2.0, 4.0), (2.0, 8.0), (3.0, 4.0), (3.0, 8.0), (5.0, 8.0))
# A disk that a filter held to 81 operations a second, with credits of 6 s, below a client that asked for 220.
HELD = (220 / 81, 6.0)


def storage(kind: tuple[float, float], *, seed: int, full: bool = False, rate: float = RATE) -> Credits:
    return Credits(rate=rate, burst=kind[0], credits_s=kind[1], noise=0.05, seed=seed, full=full)


def status(found: Finding, limit: float) -> str:
    return found.against(at_least(limit)).status


@pytest.mark.parametrize("durable", [False, True], ids=["others", "durable"])
@pytest.mark.parametrize("full", [False, True], ids=["empty", "full"])
def test_a_limit_that_is_missed_or_met_by_5_percent_gets_no_wrong_verdict_for_credits(
    durable: bool, full: bool
) -> None:
    """None of 96 runs for each side; whether or not the credits are there at first."""
    wrong = []
    for kind, seed, (times, never) in product(KINDS, range(1, RUNS + 1), ((0.95, "pass"), (1.05, "fail"))):
        limit = RATE / times
        found = finding(storage(kind, seed=seed, full=full), profile(durable=durable), limits=[at_least(limit)])
        wrong += [(kind, seed, times)] if status(found, limit) == never else []
    assert wrong == []


@pytest.mark.parametrize("full", [False, True], ids=["empty", "full"])
def test_a_disk_that_is_held_to_81_does_not_pass_as_one_of_110(full: bool) -> None:
    """In turn with a baseline it does 155 a second, for all of the minute; that passed once."""
    for seed in range(1, RUNS + 1):
        disk = storage(HELD, seed=seed, full=full, rate=81.0)
        found = finding(
            disk, profile(durable=False), limits=[at_least(110)], rules=[RULE], local=steady(rate=130, seed=seed)
        )
        assert found.turns is not None
        in_turn = metric_value(IOPS, [each for segment in found.turns.candidate.samples for each in segment])
        assert in_turn is not None and in_turn > 110
        verdict = found.against(at_least(110))
        assert (verdict.status, verdict.measured) == ("fail", pytest.approx(81, rel=0.05))


def warned(found: Finding) -> str:
    return "; ".join(
        warning for measurement in found.measurements for warning in measurement.warnings if "test file" not in warning
    )


def test_what_is_faster_after_rest_is_told_where_the_ratio_is() -> None:
    """In the report beside the figures, in the results, and where the comparison is no pass."""
    beside = {"rules": [RULE], "local": steady(rate=130, seed=7)}
    found = finding(storage(HELD, seed=1, rate=81.0), profile(durable=False), limits=[at_least(40)], **beside)
    measurement = found.measurements[0]
    assert measurement.after_rest is not None and measurement.after_rest.low > 1.05
    assert "fast is faster after idle time: " in warned(found)
    assert "local is faster" not in warned(found)
    verdict = found.compare(RULE)
    assert (verdict.status == "pass") is ("after idle time" not in verdict.reason)


def test_credits_that_last_for_all_of_each_turn_are_told_too() -> None:
    """Each turn is then as fast as any other, and only the load without a pause shows the difference."""
    found = finding(
        storage((2.0, 8.0), seed=1),
        profile(durable=False),
        limits=[at_least(RATE)],
        rules=[RULE],
        local=steady(rate=1000, seed=7),
    )
    assert "as fast in turn as without a pause" in warned(found)


@pytest.mark.parametrize("durable", [False, True], ids=["others", "durable"])
def test_of_storage_that_needs_no_rest_nothing_is_told(durable: bool) -> None:
    """At a noise of 20 % a second."""
    told = 0
    for seed in range(1, 41):
        noisy = replace(steady(rate=RATE, seed=seed), noise=0.2)
        local = replace(steady(rate=1.2 * RATE, seed=-seed), noise=0.2)
        found = finding(noisy, profile(durable=durable), limits=[at_least(RATE)], rules=[RULE], local=local)
        told += bool(warned(found))
    assert told == 0
