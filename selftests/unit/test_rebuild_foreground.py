"""The load beside a rebuild: the time of each second, and what was done before the rebuild and during it."""

from __future__ import annotations

import re

import pytest

from acceptance.loads.fio.output import FioOutput
from acceptance.loads.fio.samples import Sample
from acceptance.loads.fio.snapshots import Counts
from acceptance.measuring.load_log import MARK, LoadLog
from acceptance.measuring.load_script import KILLED_STATUS, STOPPED_STATUS
from acceptance.measuring.windows import Window
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials.rebuild.foreground import ended_early, timed_samples
from acceptance.trials.rebuild.impact import impact, why_unusable
from acceptance.trials.rebuild.model import MOST_POINTS

P99_BEFORE_NS, P99_DURING_NS = 2_000_000, 10_000_000


def second(ios: int, *, upper_ns: int = P99_BEFORE_NS, duration_s: float = 1.0) -> Sample:
    writes = Counts(
        ios=ios,
        bytes=4096 * ios,
        latency_sum_s=ios * upper_ns / 1e9,
        latencies=ios,
        histogram={upper_ns: ios} if ios else {},
    )
    return Sample(duration_s=duration_s, counts={"read": Counts(), "write": writes, "sync": Counts()})


def test_seconds_follow_each_other_from_the_one_that_came_soonest() -> None:
    """The first three come with delays of 0.5, 0.1 and 0.3 s; the last two together, after a break."""
    samples = [second(1) for _ in range(5)]
    found = timed_samples(samples, [101.5, 102.1, 103.3, 115.0, 115.0])
    assert [each.end_s for each in found] == pytest.approx([101.1, 102.1, 103.1, 104.1, 105.1])
    assert timed_samples([], []) == []


def load(before: int, during: int, *, seconds: int = 20) -> list[Sample]:
    calm = [second(before) for _ in range(seconds)]
    return calm + [second(during, upper_ns=P99_DURING_NS) for _ in range(seconds)]


BEFORE, DURING = [Window(start_s=0, end_s=20)], [Window(start_s=20, end_s=40)]


def at_each_second(samples: list[Sample]) -> list[float]:
    return [float(number) for number in range(1, len(samples) + 1)]


def test_before_and_during_are_told_apart() -> None:
    samples = load(1000, 250)
    found = impact(timed_samples(samples, at_each_second(samples)), before=BEFORE, during=DURING, confidence=0.98)
    assert (found.iops_before.mean, found.iops_during.mean) == (1000, 250)
    assert found.p99_before_s is not None and found.p99_during_s is not None
    assert (found.p99_before_s.mean, found.p99_during_s.mean) == (0.002, 0.01)
    assert found.batch_s == 2 and len(found.iops_before.batches) == 10
    assert (found.points[0].at_s, found.points[-1].at_s) == (-19, 20)
    assert {point.iops for point in found.points} == {1000, 250}


def test_batches_are_as_long_in_both() -> None:
    """A percentile depends on how many operations it is of: the shorter window decides."""
    samples = load(1000, 250)
    short = [Window(start_s=20, end_s=26)]
    found = impact(timed_samples(samples, at_each_second(samples)), before=BEFORE, during=short, confidence=0.98)
    assert (found.batch_s, len(found.iops_before.batches), len(found.iops_during.batches)) == (1, 20, 6)


def test_a_load_that_stood_still_has_no_latency() -> None:
    samples = load(1000, 250)
    samples[30] = second(0)
    found = impact(timed_samples(samples, at_each_second(samples)), before=BEFORE, during=DURING, confidence=0.98)
    assert found.p99_during_s is not None
    samples[31] = second(0)
    found = impact(timed_samples(samples, at_each_second(samples)), before=BEFORE, during=DURING, confidence=0.98)
    assert found.p99_during_s is None and min(found.iops_during.batches) == 0


def test_several_rebuilds_are_taken_together() -> None:
    samples = load(1000, 250) + load(500, 100)
    before = [*BEFORE, Window(start_s=40, end_s=60)]
    during = [*DURING, Window(start_s=60, end_s=80)]
    found = impact(timed_samples(samples, at_each_second(samples)), before=before, during=during, confidence=0.98)
    assert (found.iops_before.mean, found.iops_during.mean) == (750, 175)


def test_a_long_rebuild_is_drawn_with_few_points() -> None:
    samples = load(1000, 250, seconds=3000)
    before, during = [Window(start_s=0, end_s=3000)], [Window(start_s=3000, end_s=6000)]
    found = impact(timed_samples(samples, at_each_second(samples)), before=before, during=during, confidence=0.98)
    assert MOST_POINTS <= len(found.points) <= MOST_POINTS + 1


@pytest.mark.parametrize(
    ("seconds", "during_s", "said"),
    [
        (40, (20, 40), None),
        (40, (20, 42.9), None),
        (40, (20, 44), "4 s of the load are missing"),
        (30, (20, 40), "10 s of the load are missing"),
        (40, (20, 20.4), "less than a second"),
        (0, (20, 40), "no second of the load was observed"),
    ],
)
def test_a_load_that_was_not_there_all_along_is_not_compared(
    seconds: int, during_s: tuple[float, float], said: str | None
) -> None:
    """Nor is what was there last taken for what went on."""
    samples = load(1000, 250)[:seconds]
    during = [Window(start_s=during_s[0], end_s=during_s[1])]
    found = why_unusable(timed_samples(samples, at_each_second(samples)), before=BEFORE, during=during)
    assert (found is None) if said is None else (found is not None and said in found)


def test_one_that_came_too_late_is_not_compared_either() -> None:
    samples = load(1000, 250)
    late = timed_samples(samples, [each + 10 for each in at_each_second(samples)])
    assert "10 s of the load are missing" in (why_unusable(late, before=BEFORE, during=DURING) or "")


def log(ended: int | None, printed: str = "fio: pid=0, err=5/file:io_u.c:1845, error=Input/output error") -> LoadLog:
    found = LoadLog(new_output=lambda: FioOutput(jobs=["foreground"]))
    mark = "" if ended is None else f"\n{MARK} ended {ended}\n"
    found.feed(f"{MARK} segment 0\n{printed}\n{mark}".encode())
    found.close()
    return found


@pytest.mark.parametrize(
    ("ended", "kind", "said"),
    [
        (1, StorageFailure, "failed with status 1: .*Input/output error"),
        (KILLED_STATUS, EnvironmentFailure, "were killed"),
        (STOPPED_STATUS, EnvironmentFailure, "were stopped"),
        (0, EnvironmentFailure, "ended too early"),
        (None, EnvironmentFailure, "could not be observed any more"),
    ],
)
def test_only_what_fio_itself_complains_of_is_the_storages_fault(
    ended: int | None, kind: type[AcceptanceError], said: str
) -> None:
    error = ended_early(log(ended))
    assert type(error) is kind and re.search(said, str(error))
