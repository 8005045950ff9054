"""The order of visits, when they end, and what an error leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from acceptance.measuring.lasting import warm_up_s
from acceptance.measuring.load import Load, Segment, Watch
from acceptance.measuring.measure import Recording
from acceptance.results.metrics import Metric
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.speed.findings import Finding
from acceptance.trials.speed.judged_loads import COMPANION_S
from acceptance.trials.speed.runner import SpeedRunner
from selftests.unit.made_limits import made_limit, tier_with
from selftests.unit.simulated_credits import ReadyBench
from selftests.unit.simulated_paces import RATE, STORAGES, Paced, Phases
from selftests.unit.simulated_standstills import Storage, profile

IOPS = Metric.parse("write.iops")


class NotedBench(ReadyBench):
    """It notes each load, and fails those of one profile."""

    loads: Sequence[tuple[str, int]] = ()
    broken: tuple[str, int] = ("", 0)
    interrupted_at: int | None = None
    killed_at: int | None = None
    gone_from: int | None = None

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        if len(self.loads) == self.killed_at:
            raise ZeroDivisionError
        if self.gone_from is not None and len(self.loads) >= self.gone_from:
            raise EnvironmentFailure("the cluster is gone")
        if len(self.loads) == self.interrupted_at:
            raise KeyboardInterrupt
        name = load.profile.name
        number = sum(each == name for each, _ in self.loads) + 1
        self.loads = [*self.loads, (name, load.runtimes_s[0])]
        if (name, number) == self.broken:
            raise StorageFailure("no space")
        return super().run(load, watch=watch)


def runner_of(
    storage: Storage,
    rates: Sequence[float],
    *,
    bench: type[NotedBench] = NotedBench,
    kept: list[Finding] | None = None,
    baseline: bool = False,
) -> tuple[SpeedRunner, NotedBench, list]:
    """A runner of one profile for each limit."""
    profiles = [replace(profile(durable=False), name=f"p{number}") for number in range(len(rates))]
    limits = [
        made_limit(profile=each.name, metric=IOPS, at_least=rate, because="b")
        for each, rate in zip(profiles, rates, strict=True)
    ]
    place = bench({"fast": storage, "local": steady(2)})
    runner = SpeedRunner(
        place,
        baseline_class="local" if baseline else None,
        node=None,
        tier=tier_with(*limits),
        report=lambda _: None,
        preparing=lambda *_: None,
        keep=(lambda _: None) if kept is None else kept.append,
        selected=[(each, "fast") for each in profiles],
    )
    return runner, place, list(zip(profiles, limits, strict=True))


def steady(seed: int = 1) -> Paced:
    return Paced(rate=RATE, seed=seed)


def test_each_profile_is_visited_once_before_any_is_visited_again() -> None:
    """The second is clear at once, and visited again for a moment while others are open."""
    runner, bench, cases = runner_of(steady(), [RATE / 1.25, RATE / 10, RATE / 1.25])
    statuses = [runner.finding(each, storage_class="fast").against(limit).status for each, limit in cases]
    names = [name for name, _ in bench.loads]
    assert names[:3] == ["p0", "p1", "p2"] and sorted(names[3:]) == ["p0", "p1", "p2"]
    assert statuses == ["pass"] * 3
    assert bench.loads[0][1] == 24 + 1
    assert sorted(bench.loads[3:]) == [("p0", 36 + 1), ("p1", COMPANION_S + 1), ("p2", 36 + 1)]


def test_what_is_clear_is_visited_once() -> None:
    runner, bench, cases = runner_of(steady(), [RATE / 10] * 3)
    for case, limit in cases:
        assert runner.finding(case, storage_class="fast").against(limit).status == "pass"
    assert [name for name, _ in bench.loads] == ["p0", "p1", "p2"]


def test_visits_of_a_profile_are_half_a_round_apart_and_in_no_rhythm() -> None:
    runner, bench, cases = runner_of(steady(), [RATE * 0.999] * 10)
    runner.finding(cases[0][0], storage_class="fast")
    names = [name for name, _ in bench.loads]
    rounds = [names[at : at + 10] for at in range(0, 30, 10)]
    assert all(len(set(names)) == 10 for names in rounds) and len({tuple(names) for names in rounds}) == 3
    for number, name in enumerate(names[:30]):
        assert name not in names[number + 1 : number + 5]


def test_what_fails_once_fails_its_profile_alone() -> None:
    runner, bench, cases = runner_of(steady(), [RATE / 1.1] * 3)
    bench.broken = ("p1", 2)
    for _ in range(2):
        with pytest.raises(StorageFailure, match="no space"):
            runner.finding(cases[1][0], storage_class="fast")
    for case, limit in (cases[0], cases[2]):
        assert runner.finding(case, storage_class="fast").against(limit).status == "pass"
    assert [name for name, _ in bench.loads].count("p1") == 2


def test_a_profile_that_no_test_selected_is_measured_by_itself() -> None:
    runner, bench, _ = runner_of(steady(), [RATE / 1.1] * 2)
    other = replace(profile(durable=False), name="other")
    assert runner.finding(other, storage_class="fast").candidate.profile == other
    assert {name for name, _ in bench.loads} == {"other"}


def test_an_interrupt_keeps_what_was_measured() -> None:
    kept: list[Finding] = []
    runner, bench, cases = runner_of(steady(), [RATE / 1.1] * 3, kept=kept)
    bench.interrupted_at = 4
    with pytest.raises(KeyboardInterrupt):
        runner.finding(cases[0][0], storage_class="fast")
    latest = {finding.candidate.profile.name: len(finding.candidate.segments) for finding in kept}
    assert latest == {"p0": 2, "p1": 1, "p2": 1}


def test_what_is_visited_is_kept_before_any_test_asks_for_it() -> None:
    """A run that is killed later has it in its results."""
    kept: list[Finding] = []
    runner, bench, cases = runner_of(steady(), [RATE / 1.1] * 3, kept=kept)
    bench.killed_at = 4
    with pytest.raises(ZeroDivisionError):
        runner.finding(cases[0][0], storage_class="fast")
    assert {finding.candidate.profile.name for finding in kept} == {"p0", "p1", "p2"}
    bench.killed_at = None
    for case, limit in cases:  # as after a time-out of the test: the others go on
        assert runner.finding(case, storage_class="fast").against(limit).status == "pass"


def test_a_comparison_is_kept_though_no_visit_follows() -> None:
    kept: list[Finding] = []
    runner, _, cases = runner_of(steady(), [RATE / 10] * 2, kept=kept, baseline=True)
    finding = runner.finding(cases[0][0], storage_class="fast")
    latest = {finding.candidate.profile.name: finding for finding in kept}
    assert all(finding.turns is not None for finding in latest.values()) and len(latest) == 2
    assert {measurement.role for measurement in finding.measurements} == {"candidate", "baseline"}


def test_an_environment_that_fails_in_a_later_visit_leaves_what_was_measured() -> None:
    runner, bench, cases = runner_of(steady(), [RATE / 10, RATE / 1.1, RATE / 10])
    bench.gone_from = 3
    statuses = [runner.finding(case, storage_class="fast").against(limit).status for case, limit in cases]
    assert statuses == ["pass", "inconclusive", "pass"]


def test_an_environment_that_fails_in_a_first_visit_fails_its_profile_alone() -> None:
    runner, bench, cases = runner_of(steady(), [RATE / 10] * 3)
    bench.gone_from = 2
    for case, limit in cases[:2]:
        assert runner.finding(case, storage_class="fast").against(limit).status == "pass"
    with pytest.raises(EnvironmentFailure):
        runner.finding(cases[2][0], storage_class="fast")


def test_visits_that_cannot_decide_are_not_made() -> None:
    """Storage whose minutes differ by half is at its limit: three visits show it."""
    storage = Paced(rate=RATE, seed=3, phases=Phases(slow=0.4, slow_s=100, free_s=200))
    runner, bench, cases = runner_of(storage, [RATE] * 6)
    verdicts = [runner.finding(each, storage_class="fast").against(limit) for each, limit in cases]
    assert {verdict.status for verdict in verdicts} == {"inconclusive"}
    assert max([name for name, _ in bench.loads].count(each.name) for each, _ in cases) <= 6
    told = [verdict for verdict in verdicts if verdict.outcome is not None and verdict.outcome.code == "limit.unsteady"]
    assert len(told) == len(verdicts)
    assert "the storage is not steady: visits differ by " in told[0].reason


@pytest.mark.parametrize(("name", "lasts_s"), [("warms up: 0.2 for 20 s", 20)])
def test_what_warms_up_is_not_failed_and_told(name: str, lasts_s: int) -> None:
    for seed in range(1, 11):
        runner, _, cases = runner_of(STORAGES[name](seed), [RATE / 1.1] * 2)
        found = runner.finding(cases[0][0], storage_class="fast")
        assert found.against(cases[0][1]).status == "pass"
        (measurement,) = found.measurements
        assert abs(measurement.warm_up_s - lasts_s) <= 1
        assert measurement.metrics["write.iops"].mean == pytest.approx(RATE, rel=0.05)
        first, *later = (visit.rates["write.iops"] for visit in measurement.visits)
        assert first < 0.5 * RATE < min(later)


def test_steady_storage_hardly_ever_warms_up() -> None:
    found = []
    for seed in range(1, 101):
        runner, _, cases = runner_of(steady(seed), [RATE / 2])
        found.append(warm_up_s(runner.finding(cases[0][0], storage_class="fast").candidate.samples))
    assert sum(map(bool, found)) <= 1


def test_what_is_slow_in_its_first_visit_is_not_failed_for_it() -> None:
    """A tenth of what is asked for, for half a minute, and then enough."""
    storage = Paced(rate=RATE, seed=1, warm_up=(0.1, 24.5))
    runner, bench, cases = runner_of(storage, [RATE / 1.1] * 2)
    assert runner.finding(cases[0][0], storage_class="fast").against(cases[0][1]).status != "fail"
    assert len(bench.loads) > 1


def test_recordings_of_visits_are_one() -> None:
    runner, _, cases = runner_of(steady(), [RATE / 1.25] * 2)
    recording: Recording = runner.finding(cases[0][0], storage_class="fast").candidate
    assert [len(segment.samples) for segment in recording.segments] == [24, 36]
