"""Rebuilds of two sizes: what is told of a third, how sure that is, and how often it is wrong in simulation."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acceptance.judging.rebuild_size import decide_size, grows_faster, project_seconds, seconds_of
from acceptance.judging.rebuilds import judge_rebuild, skip_judging
from acceptance.limits.rebuilds import rebuild_limit
from acceptance.report.records.rebuilds import rebuild_parts
from acceptance.results.document import Verdict
from acceptance.results.rebuilds import RebuildRecord, RebuildTimes
from acceptance.statistics.two_sizes import Point, RepeatedTiming, errors_of, line, seconds_at, size_in
from acceptance.trials.rebuild.model import projected_volumes
from selftests.unit.read_parts import sentences_of, tables_of
from selftests.unit.rebuild_records import GI, record, record_of_two, timed
from selftests.unit.simulated_rebuilds import Copying, decisions
from selftests.unit.test_report_rebuilds import results

RUNS = 400
ALLOWED = 0.01 + 0.012  # three standard errors of 1 % in so many runs, and a half
TIB = 1024 * GI
TIMES = st.lists(st.floats(1.0, 1e4), min_size=3, max_size=6)


def two(smaller_s: float, larger_s: float, *, exact_to_s: float = 0.0, **more: Any) -> RebuildRecord:
    """5 GiB and 20 GiB, each rebuilt once."""
    times = (timed(each, exact_to_s=exact_to_s) for each in (smaller_s, larger_s))
    smaller, larger = ([time_s] for time_s in times)
    return record_of_two(smaller, larger, **more)


def judged(found: RebuildRecord, value: float) -> Verdict:
    asked = rebuild_limit("full-data", "largest_volume", value, because="data is at risk.")
    return judge_rebuild(found, asked)


def test_a_line_tells_the_time_to_begin_from_the_rate() -> None:
    """18 s for 5 and 63 s for 20: 3 s, and 3 s for each."""
    found = line(Point(5, 18), Point(20, 63))
    assert found == (3, 3)
    assert found.seconds(100) == 303 and found.size(303) == 100
    assert found.size(2) == 0
    assert line(Point(5, 18), Point(20, 18)).size(1e9) == math.inf


@pytest.mark.parametrize(
    ("smaller", "larger"), [((5, 1), (5, 2)), ((20, 1), (5, 2)), ((0, 1), (5, 2)), ((1, -1), (5, 2))]
)
def test_what_makes_no_line_is_refused(smaller: tuple[float, float], larger: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="expected two sizes"):
        line(Point(*smaller), Point(*larger))


def test_an_interval_wants_three_of_each() -> None:
    assert (
        errors_of(RepeatedTiming(size=5, seconds=[1, 1, 1]), RepeatedTiming(size=20, seconds=[2, 2]), confidence=0.98)
        is None
    )


@pytest.mark.parametrize("size", [25.0, 100.0, 1e4, 1e6])
@pytest.mark.parametrize("noise", [0.001, 0.01, 0.03])
def test_the_size_in_a_time_and_the_time_of_a_size_are_the_same_question(noise: float, size: float) -> None:
    """A size lies at an end of the interval of a time where the time lies at an end of the size's own."""
    again = [[mean * (1 + each) for each in (-noise, 0.0, noise)] for mean in (18.0, 63.0)]
    times = RepeatedTiming(size=5, seconds=again[0]), RepeatedTiming(size=20, seconds=again[1])
    errors = errors_of(*times, confidence=0.98)
    assert errors is not None
    _, low, high = seconds_at(size, *times, errors=errors)
    assert size_in(high, *times, errors=errors).low == pytest.approx(size)
    assert size_in(low, *times, errors=errors).high == pytest.approx(size)


def test_the_reason_tells_both_times_what_follows_and_the_time_of_the_limit() -> None:
    verdict = judged(two(18.0, 63.0, exact_to_s=1.0), 10 * TIB)
    assert verdict.status == "pass"
    assert verdict.reason == (
        "full-data on fast: rebuilt 5 GiB in 18 s and 20 GiB in 63 s (each measured once, to within 1 s): "
        "3 s to start, then 341.3 MiB/s; in 24 h that is 28.12 TiB; "
        "10 TiB would take 8.534 h (5.294 h to 12.2 h); expected at least 10 TiB."
    )
    assert verdict.measured == pytest.approx((86400 - 3) / 3 * GI)
    assert "rebuilt 5 GiB in 18 s and 20 GiB in 63 s" in skip_judging(two(18.0, 63.0)).reason


def test_of_one_size_the_time_to_begin_was_taken_for_the_rate() -> None:
    """60 s to begin, then 3 s for each GiB: 8 TiB take 7 h, 40 TiB 34 h, and 20 GiB alone say twice as much."""
    alone = record(timed(120.0, exact_to_s=0.0), size=20 * GI)
    assert judged(two(75.0, 120.0), 8 * TIB).status == "pass"
    again = [[timed(mean * each, exact_to_s=0.1) for each in (0.99, 1.0, 1.01)] for mean in (75.0, 120.0)]
    assert judged(record_of_two(*again), 20 * TIB).status == "pass"
    assert judged(alone, 20 * TIB).status == "fail"


def test_storage_that_is_the_slower_the_more_there_is_can_fail_and_not_pass() -> None:
    """5 GiB from credits in 5 s, of 20 GiB 15 without: 35 s."""
    found = two(5.0, 35.0, exact_to_s=0.1)
    assert grows_faster(found)
    verdict = judged(found, TIB)
    assert verdict.status == "inconclusive"
    assert "the larger took more time per byte, 512 MiB/s between both" in verdict.reason
    assert verdict.reason.endswith(
        "and larger volumes may be slower still; a larger --storage-rebuild size would decide it."
    )
    assert judged(found, 1000 * TIB).status == "fail"
    _, section = rebuild_parts(results(found))
    assert any("larger volumes may take longer than projected" in sentence for sentence in sentences_of(section))


def test_noise_alone_is_not_called_so() -> None:
    verdict = judged(two(5.0, 30.0), TIB)
    assert not grows_faster(two(5.0, 30.0)) and verdict.status == "pass"
    assert ": no measurable time to start, then 614.4 MiB/s; " in verdict.reason


def test_where_more_data_takes_no_longer_nothing_is_told_of_other_sizes() -> None:
    for found in (two(30.0, 30.0), two(31.0, 30.0)):
        verdict = judged(found, GI)
        assert verdict.status == "inconclusive"
        assert verdict.outcome is not None and verdict.outcome.code == "rebuilds.larger_took_no_longer"
        assert seconds_of(found, TIB) is None and project_seconds(found, TIB) is None
        assert found.largest_volume.mean == 86400 / 30 * 20 * GI


def test_what_the_looks_leave_open_a_larger_size_decides() -> None:
    verdict = judged(two(18.0, 63.0, exact_to_s=15.0), 25 * TIB)
    assert verdict.status == "inconclusive"
    assert "which the measured times cannot decide (7.1" in verdict.reason
    assert "--storage-rebuild size" in verdict.reason


def test_what_is_near_after_one_of_each_more_rebuilds_decide() -> None:
    verdict = judged(two(18.0, 63.0, exact_to_s=0.1), 25 * TIB)
    assert verdict.reason.endswith(
        "too close to be decided by one rebuild of each size, which may be off by 25 %; more rebuilds "
        "(--storage-rebuild repeats) would decide it."
    )
    again = [[timed(mean * each, exact_to_s=0.1) for each in (0.99, 1.0, 1.01)] for mean in (18.0, 63.0)]
    found = record_of_two(*again)
    assert judged(found, 25 * TIB).status == "pass"
    assert "means of 3 rebuilds each" in judged(found, TIB).reason and "98% CI" in judged(found, TIB).reason
    low, high = found.largest_volume.low, found.largest_volume.high
    assert low is not None and high is not None and low < found.largest_volume.mean < high


def test_snapshots_divide_and_take_as_much_longer() -> None:
    found = two(18.0, 63.0, snapshots=3)
    assert found.largest_volume.mean == pytest.approx((86400 - 3) / 3 * GI / 3)
    assert project_seconds(found, TIB) == project_seconds(two(18.0, 63.0), 3 * TIB) is not None


@pytest.mark.parametrize(
    ("times", "limit", "code", "more"),
    [
        ((18.0, 63.0, 1.0), 10 * TIB, "within", {"would_take_s"}),
        ((18.0, 63.0, 1.0), 90 * TIB, "outside", {"would_take_s"}),
        ((30.0, 30.0, 0.0), GI, "larger_took_no_longer", set()),
        ((18.0, 63.0, 15.0), 25 * TIB, "inexact_times", {"would_take_s", "between_s"}),
        ((5.0, 35.0, 0.1), TIB, "slower_by_size", {"would_take_s"}),
        ((18.0, 63.0, 0.0), 25 * TIB, "measured_once", {"would_take_s", "off_by"}),
    ],
)
def test_what_was_found_of_two_sizes_is_data(
    times: tuple[float, float, float], limit: float, code: str, more: set[str]
) -> None:
    smaller_s, larger_s, exact_to_s = times
    found = two(smaller_s, larger_s, exact_to_s=exact_to_s)
    outcome = judged(found, limit).outcome
    assert outcome is not None and outcome.code == f"rebuilds.{code}"
    assert outcome.facts.keys() == {"times", *more}
    told = RebuildTimes.model_validate(outcome.facts["times"])
    assert [(size.size, size.seconds) for size in told.sizes] == [(5 * GI, smaller_s), (20 * GI, larger_s)]
    assert (told.pace, told.start_up_s) == line(Point(5 * GI, smaller_s), Point(20 * GI, larger_s))[::-1]
    if more:
        assert outcome.facts["would_take_s"] == list(seconds_of(found, limit) or ())
    if code == "inexact_times":
        between = outcome.facts["between_s"]
        assert isinstance(between, list) and between == sorted(between, key=float) and len(between) == 2  # type: ignore[arg-type]


def test_the_report_shows_both_and_what_common_sizes_would_take() -> None:
    _, section = rebuild_parts(results(two(18.0, 63.0)))
    rows, *_ = tables_of(section)
    assert [(row["Data"], row["Rebuilt in"].partition(" (")[0]) for row in rows] == [
        ("5 GiB", "18 s"),
        ("20 GiB", "63 s"),
    ]
    assert sentences_of(section)[1].startswith("100 GiB would take 5.05 min (")
    assert "; 1 TiB would take 51.25 min (" in sentences_of(section)[1]
    _, alone = rebuild_parts(results(record()))
    assert "A second size (--storage-rebuild smaller) would separate the two." in sentences_of(alone)[1]


def test_an_interval_without_an_upper_bound_is_told_so() -> None:
    times = [[timed(duration, exact_to_s=0.1) for duration in seconds] for seconds in ((10, 20, 30), (25, 35, 45))]
    found = record_of_two(*times)
    assert found.largest_volume.high is None and found.largest_volume.low is not None
    assert ", no upper bound)" in judged(found, TIB).reason


@given(smaller=TIMES, larger=TIMES, size=st.floats(GI, 1e5 * GI))
def test_largest_volume_and_projected_time_agree(smaller: list[float], larger: list[float], size: float) -> None:
    """Where the repeats decide, and not how well each was timed."""
    again = [[timed(duration, exact_to_s=0.0) for duration in seconds] for seconds in (smaller, larger)]
    found = record_of_two(*again)
    volume, decision = found.largest_volume, decide_size(found, size)
    assume(volume.batches == [] and volume.low is not None)
    assert volume.low is not None
    if decision == "pass":
        assert size <= volume.low * (1 + 1e-6)
    if decision == "fail":
        assert volume.high is not None and size >= volume.high * (1 - 1e-6)


def test_projected_volumes_of_published_times() -> None:
    """What a report finds from one size stays where the smaller one took its part of the time."""
    sized = [RepeatedTiming(size=size, seconds=[seconds]) for size, seconds in ((25 * GI, 281 / 4), (100 * GI, 281.0))]
    found = projected_volumes(*sized, time_limit_s=86400, snapshots=1, confidence=0.98)
    assert int(found.mean / GI) == 30747


KINDS = {
    "line": Copying(),
    "10 % noise": Copying(noise=0.10),
    "60 s to begin": Copying(start_up_s=60.0),
    "credits for the smaller": Copying(burst=5 * GI),
    "credits for half of the larger": Copying(burst=10 * GI),
}


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_two_sizes_are_wrong_in_at_most_1_percent(kind: str, repeats: int) -> None:
    """A volume 50 times as large as what was measured, which takes 5 % too long, or is 5 % within the limit."""
    storage = KINDS[kind]
    assert decisions(storage, takes=1.05, repeats=repeats, two=True, runs=RUNS)["pass"] <= ALLOWED
    assert decisions(storage, takes=0.95, repeats=repeats, two=True, runs=RUNS)["fail"] <= ALLOWED


def test_one_size_is_wrong_with_storage_that_is_no_line_through_nothing() -> None:
    """What the second size is for."""
    begins, bursts = KINDS["60 s to begin"], KINDS["credits for half of the larger"]
    assert decisions(begins, takes=0.95, repeats=3, two=False, runs=RUNS)["fail"] > 0.9
    assert decisions(bursts, takes=1.05, repeats=3, two=False, runs=RUNS)["pass"] > 0.9


@pytest.mark.parametrize("repeats", [1, 3])
def test_what_has_twice_the_reserve_is_decided(repeats: int) -> None:
    assert decisions(Copying(), takes=0.5, repeats=repeats, two=True, runs=RUNS)["pass"] > 0.9
    assert decisions(Copying(start_up_s=60.0), takes=0.4, repeats=repeats, two=True, runs=RUNS)["pass"] > 0.9
