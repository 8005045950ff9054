"""What a look after a few seconds decides, and what it leaves to the others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acceptance.judging.rejudging import contradictions
from acceptance.limits.limit import Limit
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.load import PreparedVolume, Segment
from acceptance.measuring.measure import BySegment, Recording
from acceptance.results.document import Role, Verdict
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import ALONE, DURABLE_IN_TURN, AnalysisPlan, plan_for
from acceptance.trials.speed.decisions import are_compared, are_decided
from acceptance.trials.speed.findings import Finding
from acceptance.trials.speed.turns import Turns
from selftests.unit.compared_runs import run_of
from selftests.unit.made_limits import made_limit, made_rule
from selftests.unit.simulated_load import second

PROFILE = Profile(name="writes", path=Path("writes.fio"), text="", about="", jobs=("writes",))
RULE = made_rule(
    profile="writes",
    metric=Metric.parse("write.iops"),
    kind="not_better_than_baseline_by",
    margin=0.2,
    because="not durable",
)


def limit(path: str, *, at_least: float | None = None, at_most: float | None = None) -> Limit:
    return made_limit(profile="writes", metric=Metric.parse(path), at_least=at_least, at_most=at_most, because="b")


def writes(*rates: float, latency_s: float = 0.001) -> list[Sample]:
    return [second("write", rate=rate, block_size=4096, latency_s=latency_s) for rate in rates]


def is_decided(asked: Limit, samples: list[Sample], *, plan: AnalysisPlan = ALONE) -> bool:
    return are_decided([asked], [samples], plan=plan)


FOUR = writes(1000, 1010, 990, 1000)


@pytest.mark.parametrize(("rate", "is_clear"), [(300, True), (340, False), (900, False), (1000, False), (3100, False)])
def test_only_what_is_three_times_beyond_its_limit_passes(rate: float, is_clear: bool) -> None:
    assert is_decided(limit("write.iops", at_least=rate), FOUR) is is_clear
    assert is_decided(limit("write.iops", at_most=1e6 / rate), FOUR) is is_clear


def test_no_speed_fails_in_the_first_minute_because_storage_may_be_warming_up() -> None:
    asked, long = limit("write.iops", at_least=100_000), plan_for(durable=False, in_turn=False)
    assert [is_decided(asked, FOUR * times, plan=long) for times in (1, 6, 9, 15, 20)] == [False] * 4 + [True]
    assert is_decided(asked, FOUR * 15), "unless there is no later analysis"


def test_the_whole_interval_must_lie_there() -> None:
    assert not is_decided(limit("write.iops", at_least=300), writes(400, 1600, 500, 1500))


def test_looks_ask_for_less_and_less_and_after_a_minute_for_no_factor() -> None:
    near, farther, far = (limit("write.iops", at_least=each) for each in (900, 750, 327))
    assert [is_decided(near, FOUR * times) for times in (1, 4, 6, 9, 15)] == [False, False, False, False, True]
    assert [is_decided(farther, FOUR * times) for times in (1, 4, 6, 9)] == [False, False, False, True]
    assert [is_decided(far, FOUR * times) for times in (1, 4)] == [False, True]


def test_storage_that_stood_still_is_loaded_to_the_end_but_for_a_stall_that_is_too_long() -> None:
    """Only then it is known how often it does so."""
    asked = limit("write.iops", at_least=100)
    silent = [*FOUR * 5, replace(FOUR[0], duration_s=4.0)]
    assert is_decided(asked, FOUR * 6)
    assert not is_decided(asked, silent)
    assert is_decided(asked, silent + FOUR * 9)
    assert is_decided(limit("stall.longest", at_most=2.0), [*FOUR * 5, *writes(10, latency_s=3.0)])


def test_a_busy_cpu_is_no_standstill() -> None:
    """A late sample in which as much was done as time went by."""
    late = replace(writes(4000)[0], duration_s=4.0)
    assert is_decided(limit("write.iops", at_least=100), [*FOUR * 5, late])


def test_a_comparison_goes_on_to_the_end_where_either_stood_still() -> None:
    ours, theirs = in_turn(500, 1000, rounds=4)
    assert are_compared([RULE], ours, theirs, plan=DURABLE_IN_TURN)
    for one in (ours, theirs):
        before, one[0] = one[0], [*one[0][:-1], replace(one[0][-1], duration_s=3.0)]
        assert not are_compared([RULE], ours, theirs, plan=DURABLE_IN_TURN)
        one[0] = before


@pytest.mark.parametrize("path", ["write.latency.p99", "stall.longest"])
def test_what_comes_seldom_does_not_pass_early_and_a_stall_can_fail(path: str) -> None:
    assert not is_decided(limit(path, at_most=10.0), FOUR)
    assert is_decided(limit(path, at_most=10.0), FOUR * 9)
    assert is_decided(limit(path, at_most=0.0001), FOUR) is (path == "stall.longest")


def test_a_percentile_is_decided_after_half_a_minute() -> None:
    met, missed = (limit("write.latency.p99", at_most=at_most) for at_most in (0.01, 0.0003))
    assert [is_decided(met, FOUR * times) for times in (1, 3, 6, 9)] == [False, False, False, True]
    assert [is_decided(missed, FOUR * times) for times in (1, 9, 15)] == [False, False, True]
    # With a plan that has no more to give, what there is decides.
    assert is_decided(met, FOUR * 3, plan=AnalysisPlan(seconds=(12,)))


def test_a_stall_that_was_seen_is_decided_without_a_factor() -> None:
    assert is_decided(limit("stall.longest", at_most=1.5), [*FOUR[:3], *writes(1, latency_s=2.0)])


def test_a_stall_limit_needs_a_load_as_long_as_it_allows_but_none_beyond_the_last_look() -> None:
    asked = limit("stall.longest", at_most=10.0)
    plan = AnalysisPlan(seconds=(4, 8, 12, 60))
    assert not is_decided(asked, FOUR * 2, plan=plan)
    assert is_decided(asked, FOUR * 3, plan=plan)
    longer = plan_for(durable=False, in_turn=False)
    assert is_decided(limit("stall.longest", at_most=300.0), FOUR * 15, plan=longer)


def test_storage_that_stood_still_has_not_passed_early() -> None:
    """A look can lie in a standstill of some seconds, and storage be sound for the rest of the minute."""
    stalls = writes(1, 1, 1, 1, latency_s=1.5)
    slow = limit("write.latency.mean", at_most=10.0)
    assert not is_decided(slow, stalls)
    assert is_decided(slow, stalls * 4)
    assert is_decided(slow, writes(1, 1, 1, 1, latency_s=0.9))
    idle = [replace(stall, cpu_s=0.0) for stall in stalls]
    assert not is_decided(limit("cpu.use", at_most=0.4), idle)


def in_turn(candidate: float, baseline: float, *, rounds: int) -> tuple[list[list[Sample]], list[list[Sample]]]:
    lengths = DURABLE_IN_TURN.segments[:rounds]
    return [writes(*[candidate] * length) for length in lengths], [writes(*[baseline] * length) for length in lengths]


@pytest.mark.parametrize(
    ("ratio", "rounds", "is_clear"), [(0.3, 2, True), (0.5, 2, False), (0.5, 4, True), (4, 2, True)]
)
def test_a_comparison_is_decided_early_by_the_same_factor(ratio: float, rounds: int, is_clear: bool) -> None:
    ours, theirs = in_turn(1000 * ratio, 1000, rounds=rounds)
    assert are_compared([RULE], ours, theirs, plan=DURABLE_IN_TURN) is is_clear


def test_a_baseline_that_stood_still_decides_no_comparison_early() -> None:
    ours, theirs = in_turn(100, 1000, rounds=2)
    assert are_compared([RULE], ours, theirs, plan=DURABLE_IN_TURN)
    slow = [theirs[0], [*theirs[1][:-1], *writes(1000, latency_s=1.5)]]
    assert not are_compared([RULE], ours, slow, plan=DURABLE_IN_TURN)


def recorded(segments: BySegment, *, role: Role = "candidate", storage_class: str = "fast") -> Recording:
    return Recording(
        profile=PROFILE,
        volume=PreparedVolume(storage_class=storage_class, node="n1", test_size=2**30),
        role=role,
        segments=tuple(
            Segment(pod="p", node="n1", fio_version="fio-3.33", start_time=datetime.now(UTC), samples=tuple(samples))
            for samples in segments
        ),
        beside="" if role == "candidate" else "fast",
    )


def reported(finding: Finding) -> list[Verdict]:
    verdict = finding.against(limit("write.iops", at_least=200))
    return [verdict] if finding.turns is None else [verdict, finding.compare(RULE)]


def test_what_ended_early_is_reported_as_it_was_decided_and_agrees_with_itself() -> None:
    ours, theirs = in_turn(1000, 5000, rounds=2)
    alone = Finding(candidate=recorded([FOUR]), plan=ALONE)
    turns = Turns(
        candidate=recorded(ours),
        baseline=recorded(theirs, role="baseline", storage_class="local"),
        plan=DURABLE_IN_TURN,
    )
    for finding in (alone, replace(alone, turns=turns)):
        seconds, verdicts = 4, reported(finding)
        assert {verdict.status for verdict in verdicts} == {"pass"}
        assert {verdict.confidence for verdict in verdicts} == {finding.plan.at(seconds).confidence}
        measurement = finding.measurements[0]
        assert measurement.metrics["write.iops"].samples == len(measurement.series["write.iops"]) == seconds
        found = run_of(*finding.measurements, verdicts=verdicts).model_copy(update={"overall": "pass"})
        assert list(contradictions(found)) == []
