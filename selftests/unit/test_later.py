"""The first profile once more at the end of a run: when, of what, and what is said of it; on simulated storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.judging.rejudging import contradictions
from acceptance.limits.limit import Limit
from acceptance.limits.tiers import Tier
from acceptance.results.document import Measurement
from acceptance.results.recorder import Recorder
from acceptance.text.errors import StorageFailure
from acceptance.trials.speed.later import AFTER_S, Later
from acceptance.trials.speed.runner import SpeedRunner
from fixtures.measurements import RUNNER, pytest_runtest_teardown
from fixtures.options import INPUTS
from fixtures.run import RUN
from selftests.unit.made_limits import tier_with
from selftests.unit.simulated_credits import Credits, ReadyBench, steady
from selftests.unit.simulated_standstills import Storage, at_least, profile

RATE = 500.0


def run_of(
    storage: Storage, *, after_s: float, durable: bool = False, meanwhile: Callable[[], None] = lambda: None
) -> Sequence[Later]:
    """One profile measured, and then the end so much later."""
    bench, clock = ReadyBench({"fast": storage}), [0.0]
    runner = SpeedRunner(
        bench,
        baseline_class=None,
        node=None,
        tier=tier_with(at_least(RATE / 2)),
        report=lambda _: None,
        preparing=lambda *_: None,
        keep=lambda _: None,
        now_s=lambda: clock[0],
    )
    first = runner.finding(profile(durable=durable), storage_class="fast")
    assert first.against(at_least(RATE / 2)).status == "pass"
    meanwhile()
    clock[0] += after_s
    return list(runner.later())


@pytest.mark.parametrize("durable", [False, True], ids=["others", "durable"])
def test_credits_that_ended_after_the_first_profile_had_passed_are_told(durable: bool) -> None:
    """It passed while they were there; what is measured at the end is what is left."""
    for seed in range(1, 11):
        disk = Credits(rate=RATE / 3, burst=3, credits_s=200, noise=0.05, seed=seed, full=True)
        (later,) = run_of(disk, after_s=600, durable=durable, meanwhile=disk.spend)
        found = later.against_first
        assert found is not None and found.high < 0.8
        assert later.warning is not None
        assert later.warning.startswith("the storage slowed down during the run: at its end writes on fast reached 0.3")
        assert later.warning.endswith(" of its rate 10 min before")


def test_of_steady_storage_nothing_is_told_but_the_figure() -> None:
    for seed in range(1, 21):
        (later,) = run_of(steady(rate=RATE, seed=seed), after_s=600)
        assert later.against_first is not None and 0.85 < later.against_first.ratio < 1.15
        assert later.warning is None


def test_a_short_run_does_not_measure_again() -> None:
    assert run_of(steady(rate=RATE, seed=1), after_s=AFTER_S - 1) == []


class Ending(SimpleNamespace):
    """A runner at the end of a run."""

    def later(self) -> Iterator[Later]:
        if self.error is not None:
            raise self.error
        yield from self.found


def tier_of(*limits: Limit) -> Tier:
    return tier_with(*limits)


def teardown(runner: Ending, *, nextitem: object = None, tier: Tier | None = None) -> Recorder:
    """What the run keeps when the last test is over."""
    tier = tier or tier_of()
    recorder = Recorder(run_id="r", started_at=datetime(2026, 11, 23, tzinfo=UTC), settings={}, tier_limits=0)
    for later in runner.found:
        recorder.keep(*later.first.measurements)
        recorder.verdicts.extend(later.first.against(limit) for limit in tier.limits)
    inputs = SimpleNamespace(tier=tier)
    config = SimpleNamespace(stash={RUNNER: runner, RUN: SimpleNamespace(recorder=recorder), INPUTS: inputs})
    item: Any = SimpleNamespace(config=config)
    next_one: Any = nextitem
    pytest_runtest_teardown(item, next_one)
    return recorder


def test_after_the_last_test_it_is_kept_and_told() -> None:
    disk = Credits(rate=RATE / 3, burst=3, credits_s=200, noise=0.05, seed=1, full=True)
    found = run_of(disk, after_s=600, meanwhile=disk.spend)
    recorder = teardown(Ending(found=found, error=None))
    (measurement,) = recorder.of(Measurement)
    assert measurement.at_the_end == found[0].against_first
    assert recorder.warnings == [found[0].warning]
    assert teardown(Ending(found=found, error=None), nextitem="another").warnings == []


@pytest.mark.parametrize("durable", [False, True], ids=["others", "durable"])
def test_a_limit_that_passed_and_is_missed_at_the_end_is_inconclusive(durable: bool) -> None:
    """One half of the first rate is asked for; a third of it is left. A limit that is still met stays a pass."""
    missed, met = at_least(RATE / 2), at_least(RATE / 5)
    for seed in range(1, 6):
        disk = Credits(rate=RATE / 3, burst=3, credits_s=200, noise=0.05, seed=seed, full=True)
        found = run_of(disk, after_s=600, durable=durable, meanwhile=disk.spend)
        first = found[0].first.against(missed)
        recorder = teardown(Ending(found=found, error=None), tier=tier_of(missed, met))
        changed, kept = recorder.verdicts
        assert (changed.status, kept.status, changed.measured) == ("inconclusive", "pass", first.measured)
        assert kept == found[0].first.against(met)
        assert changed.low is not None and changed.low < RATE / 2 < (first.low or 0.0)
        assert changed.high == first.high
        results = recorder.results(exit_status=6)
        assert results.overall == "inconclusive" and list(contradictions(results)) == []


def test_a_limit_that_steady_storage_passed_stays_a_pass() -> None:
    for seed in range(1, 21):
        found = run_of(steady(rate=RATE, seed=seed), after_s=600)
        recorder = teardown(Ending(found=found, error=None), tier=tier_of(at_least(RATE / 2)))
        assert recorder.verdicts == [found[0].first.against(at_least(RATE / 2))]


def test_what_fails_at_the_end_fails_no_test() -> None:
    recorder = teardown(Ending(found=[], error=StorageFailure("no space")))
    assert recorder.warnings == ["it is not known whether the storage slowed down during the run: no space"]
