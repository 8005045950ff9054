"""Which volume is loaded when, and when it is enough; on a bench whose load is a list of rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acceptance.loads.fio.samples import Counts, Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.load import Load, PreparedVolume, Preparing, Segment, Watch
from acceptance.measuring.measure import BySegment, Progress, measure_alone, measure_alternately
from acceptance.statistics.interim_analyses import ALONE, DURABLE, DURABLE_IN_TURN, IN_TURN, AnalysisPlan, plan_for
from acceptance.statistics.looks import EarlyLook
from acceptance.text.errors import AcceptanceError, StorageFailure

PLAN = AnalysisPlan(seconds=(4, 8), batch_s=1, segments=(2,) * 4)
PROFILE = Profile(name="Mixed_Load", path=Path("Mixed_Load.fio"), text="", about="", jobs=("mixed",))
FAST = PreparedVolume(storage_class="fast", node="n1", test_size=1)
LOCAL = PreparedVolume(storage_class="local", node="n1", test_size=1)


def second(writes: int) -> Sample:
    return Sample(duration_s=1.0, counts={"read": Counts(), "write": Counts(ios=writes), "sync": Counts()})


@dataclass
class RatesBench:
    """Each segment loads for its runtime and a little longer; a second of the n-th segment does n writes."""

    loads: list[Load] = field(default_factory=list)

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        return {}

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        self.loads.append(load)
        done: list[Segment] = []
        for number, _ in enumerate(load.order):
            samples: list[Sample] = []
            enough = False
            while len(samples) < load.runtimes_s[number] and not enough:
                samples.append(second(number))
                enough = watch(number, list(samples))
            done.append(
                Segment(
                    pod=load.name,
                    node="n1",
                    fio_version="fio-3.33",
                    start_time=datetime.now(UTC),
                    samples=tuple(samples),
                )
            )
            if enough:
                break
        return done


def writes(samples: BySegment) -> list[list[int]]:
    return [[each.counts["write"].ios for each in segment] for segment in samples]


def alternately(
    *, plan: AnalysisPlan = PLAN, enough_at: int
) -> tuple[RatesBench, list[tuple[int, int]], list[Progress], list]:
    bench, looks, progress = RatesBench(), [], []

    def decided(ours: BySegment, theirs: BySegment) -> bool:
        looks.append((sum(map(len, ours)), sum(map(len, theirs))))
        return len(looks) == enough_at

    found = measure_alternately(
        bench, candidate=FAST, baseline=LOCAL, profile=PROFILE, plan=plan, is_decided=decided, report=progress.append
    )
    return bench, looks, progress, list(found)


def test_the_class_that_begins_alternates() -> None:
    bench, _, _, (candidate, baseline) = alternately(enough_at=9)
    (load,) = bench.loads
    assert [load.volumes[place].storage_class for place in load.order] == ["local", "fast", "fast", "local"] * 2
    assert writes(candidate.samples) == [[1, 1], [2, 2], [5, 5], [6, 6]]
    assert writes(baseline.samples) == [[0, 0], [3, 3], [4, 4], [7, 7]]
    assert (candidate.role, baseline.role, baseline.beside) == ("candidate", "baseline", "fast")


def test_a_look_comes_after_whole_rounds_and_can_end_it() -> None:
    _, looks, progress, (candidate, baseline) = alternately(enough_at=1)
    assert looks == [(4, 4)]
    assert len(candidate.segments) == len(baseline.segments) == 2
    assert [each.seconds for each in progress if each.role == "candidate"] == [1, 2, 3, 4]
    assert alternately(enough_at=9)[1] == [(4, 4), (8, 8)]


def test_each_segment_has_a_name_of_its_own() -> None:
    bench, *_ = alternately(enough_at=9)
    (load,) = bench.loads
    assert len(set(load.names)) == len(load.order) == 8
    assert all(name == name.lower() and "_" not in name for name in (*load.names, load.name))


def test_one_class_alone_is_one_segment_with_looks_in_it() -> None:
    bench, looks = RatesBench(), []

    def decided(ours: BySegment) -> bool:
        looks.append(sum(map(len, ours)))
        return len(looks) == 2

    plan = AnalysisPlan(seconds=(8, 12), batch_s=1, early=EarlyLook())
    found = measure_alone(bench, FAST, PROFILE, plan=plan, is_decided=decided, report=lambda progress: None)
    assert looks == [4, 8]
    assert list(map(len, found.samples)) == [8]


def test_not_decided_at_the_cap_it_ends_all_the_same() -> None:
    found = measure_alone(
        RatesBench(), FAST, PROFILE, plan=PLAN, is_decided=lambda ours: False, report=lambda progress: None
    )
    assert list(map(len, found.samples)) == [8]


@pytest.mark.parametrize("ramp_s", [0.0, 2.0])
def test_the_seconds_before_those_that_count_are_added(ramp_s: float) -> None:
    bench = RatesBench()
    profile = Profile(name="a", path=Path("a.fio"), text="", about="", jobs=("a",), ramp_s=ramp_s)
    measure_alone(bench, FAST, profile, plan=PLAN, is_decided=lambda ours: True, report=lambda progress: None)
    assert bench.loads[0].runtimes_s == ((9,) if not ramp_s else (10,))


@dataclass
class SilentBench(RatesBench):
    """As `RatesBench`, but the second sample of each segment is so long."""

    silent_s: float = 9.0

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        def longer(number: int, samples: Sequence[Sample]) -> bool:
            return watch(number, self.silent(samples))

        return [replace(each, samples=tuple(self.silent(each.samples))) for each in super().run(load, watch=longer)]

    def silent(self, samples: Sequence[Sample]) -> list[Sample]:
        return [replace(each, duration_s=self.silent_s) if at == 1 else each for at, each in enumerate(samples)]


def test_looks_and_the_cap_come_by_the_clock() -> None:
    looks = []

    def decided(ours: BySegment) -> bool:
        looks.append(sum(each.duration_s for each in ours[0]))
        return False

    plan = AnalysisPlan(seconds=(4, 8, 12, 16), batch_s=1)
    found = measure_alone(SilentBench(), FAST, PROFILE, plan=plan, is_decided=decided, report=lambda progress: None)
    assert looks == [10.0, 12.0], "4 and 8 s were over in the same silence; at the cap nobody asks"
    assert sum(sample.duration_s for sample in found.segments[0].samples) == 16.0


def test_a_turn_that_a_standstill_has_filled_is_over() -> None:
    taken: list[tuple[BySegment, BySegment]] = []

    def decided(ours: BySegment, theirs: BySegment) -> bool:
        taken.append((ours, theirs))
        return True

    bench = SilentBench(silent_s=2.5)
    plan = AnalysisPlan(seconds=(6,), batch_s=1, segments=(3, 3))
    candidate, baseline = measure_alternately(
        bench, candidate=FAST, baseline=LOCAL, profile=PROFILE, plan=plan, is_decided=decided, report=lambda each: None
    )
    ((ours, theirs),) = taken
    for found in (ours, theirs, candidate.samples, baseline.samples):
        assert [[each.duration_s for each in segment] for segment in found] == [[1.0, 2.5]] * 2


def test_an_error_of_the_bench_is_passed_on() -> None:
    class Broken(RatesBench):
        def run(self, load: Load, *, watch: Watch) -> list[Segment]:
            raise StorageFailure("Input/output error")

    with pytest.raises(StorageFailure, match="Input/output error"):
        measure_alone(Broken(), FAST, PROFILE, plan=PLAN, is_decided=lambda ours: True, report=lambda progress: None)


def test_rounds_last_as_long_as_the_plan_says() -> None:
    plan = AnalysisPlan(seconds=(8, 12), batch_s=1, segments=(1, 1, 3, 3, 2, 2), early=EarlyLook(seconds=2))
    bench, looks, progress, (candidate, baseline) = alternately(plan=plan, enough_at=9)
    (load,) = bench.loads
    assert load.runtimes_s == (2, 2, 2, 2, 4, 4, 4, 4, 3, 3, 3, 3)
    assert load.runtime == "2s 2s 2s 2s 4s 4s 4s 4s 3s 3s 3s 3s"
    assert looks == [(2, 2), (8, 8), (12, 12)]
    assert list(map(len, candidate.samples)) == list(map(len, baseline.samples)) == [1, 1, 3, 3, 2, 2]
    assert progress[-1].seconds == progress[-1].cap == 12


def test_what_is_measured_has_a_plan_of_its_own() -> None:
    assert plan_for(durable=True, in_turn=True, longest_s=60) is DURABLE_IN_TURN
    assert plan_for(durable=True, in_turn=False, longest_s=60) is DURABLE
    assert plan_for(durable=False, in_turn=True, longest_s=60) is IN_TURN
    assert plan_for(durable=False, in_turn=False, longest_s=60) is ALONE
