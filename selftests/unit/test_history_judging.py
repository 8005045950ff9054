"""A run beside the accepted level: the verdict, its words, and the trend for the report."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.judging.history.noise import noise_reach, surpluses
from acceptance.judging.history.verdicts import KEPT_POINTS, HistoryVerdict, judge_history
from acceptance.limits.history import RUNS
from acceptance.limits.limit import Limit
from acceptance.results.history import TrendPoint
from selftests.unit.history_runs import limit, nights, noisy

QUIET = [1000.0, 1010.0, 990.0, 1005.0, 995.0, 1002.0, 998.0] * 2


def judged(
    values: list[float], asked: Limit | None = None, *, within: float = 0.0, others: int = 0, accepted: int = 0
) -> HistoryVerdict:
    """The last value judged beside the others."""
    *earlier, this = nights(values, within=within)
    return judge(earlier, this, asked, others=others, accepted=accepted)


def judge(
    earlier: list[TrendPoint],
    this: TrendPoint | None,
    asked: Limit | None = None,
    *,
    others: int = 0,
    accepted: int = 0,
) -> HistoryVerdict:
    return judge_history(
        earlier,
        this,
        asked or limit(),
        limits=4,
        incomparable_runs=others,
        accepted_from=accepted,
        storage_class="fast",
    )


def test_a_run_as_those_before_passes_and_says_what_would_have_been_told() -> None:
    found = judged([*QUIET, 985.0])
    assert found.verdict.status == found.trend.status == "pass"
    assert not found.alone
    assert found.verdict.reason == (
        "write.iops of sync-write-iops on fast is 985 IOPS, 1.5 % lower than the accepted level of 1,000 IOPS "
        "(14 runs from 2026-11-01 on; in two consecutive runs, noise explains at most 10.9 % lower or 12.2 % higher), "
        "not worse by more than 10 % beyond noise; two runs worse by 10.9 % would have been reported, or seven by "
        "10 %."
    )
    assert found.verdict.id == "fast/sync-write-iops/write.iops/not-worse-than-before-by"
    assert (found.verdict.unit, found.verdict.low, found.verdict.confidence) == ("ratio", None, None)


def test_the_first_run_that_fell_passes_and_is_told_the_second_fails_and_says_since_when() -> None:
    first = judged([*QUIET, 800.0])
    assert (first.verdict.status, first.alone) == ("pass", True)
    assert first.verdict.reason.endswith(
        "worse than the allowed 10 % and beyond noise, but only in this run: it fails if the next run is worse too."
    )
    second = judged([*QUIET, 800.0, 805.0])
    assert (second.verdict.status, second.alone) == ("fail", False)
    assert second.verdict.measured == pytest.approx(0.805, abs=0.001)
    assert second.verdict.reason.endswith(
        "; since 2026-11-15 (run run-14) about 19.7 % lower than that level, worse than the allowed 10 % and beyond "
        "noise, and has not recovered (reason for the limit: databases wait for it). To accept an intended change, use "
        "`storage-acceptance accept-level`."
    )


def test_a_run_that_is_far_off_between_good_ones_fails_nobody() -> None:
    assert judged([*QUIET, 300.0, 1000.0, 310.0, 1000.0, 305.0]).verdict.status == "pass"


def test_a_fall_within_the_margin_passes_however_sure_it_is() -> None:
    assert judged([*QUIET, *[920.0] * 30]).verdict.status == "pass"


def test_a_fall_within_noise_passes_however_large_it_is() -> None:
    wild = [1000.0, 700.0, 1400.0, 800.0, 1250.0, 750.0, 1300.0] * 2
    verdict = judged([*wild, 750.0, 740.0]).verdict
    assert verdict.measured is not None
    assert verdict.measured < 0.8
    assert verdict.status == "pass"


def test_latency_is_worse_when_it_is_higher() -> None:
    slow = limit(metric="write.latency.mean")
    latencies = [value / 1e6 for value in QUIET]
    assert judged([*latencies, 0.0012, 0.0012], slow).verdict.status == "fail"
    assert judged([*latencies, 0.0008, 0.0008], slow).verdict.status == "pass"
    assert "is 1.2 ms, 20 % higher than the accepted level of 1 ms" in judged([*latencies, 0.0012], slow).verdict.reason


def test_what_became_better_is_no_failure_and_asks_for_its_level() -> None:
    found = judged([*QUIET, 1300.0, 1310.0, 1305.0])
    assert found.verdict.status == "pass"
    assert found.trend.change_point is not None
    assert found.trend.change_point.change == pytest.approx(0.305, abs=0.01)
    assert (
        "since 2026-11-15 (run run-14) about 30.5 % higher than that level: after `storage-acceptance "
        "accept-level`, a later fall from there is reported; " in found.verdict.reason
    )


def test_a_fall_that_stays_fails_until_the_level_is_back_for_two_runs() -> None:
    """However long: nothing of it becomes part of what it is compared with."""
    fallen = [*QUIET, *[0.8 * value for value in QUIET * 10]]
    for length in (16, 30, 60, len(fallen)):
        assert judged(fallen[:length]).verdict.status == "fail"
    assert judged([*fallen, 1001.0]).verdict.status == "fail", "one run may be luck"
    back = judged([*fallen, 1001.0, 995.0])
    assert (back.verdict.status, back.trend.change_point) == ("pass", None)


def test_a_level_that_is_accepted_is_compared_with_and_what_was_before_is_forgotten() -> None:
    fallen = [*QUIET, *[0.8 * value for value in QUIET]]
    assert judged([*fallen, 800.0]).verdict.status == "fail"
    accepted = judged([*fallen, 800.0], accepted=14)
    assert (accepted.verdict.status, accepted.trend.level_from) == ("pass", "run-14")
    assert accepted.trend.typical == pytest.approx(800, rel=0.01)
    assert len(accepted.trend.points) == 28, "the picture has the runs before it too"
    again = judged([*fallen, 640.0, 640.0], accepted=14)
    assert again.verdict.status == "fail" and "since 2026-11-29 (run run-28)" in again.verdict.reason
    new = judged([*QUIET, 800.0, 810.0, 805.0], accepted=14)
    assert new.verdict.status == "skipped"
    assert (
        "the history has 2 of the same kind since a level was accepted (14 before it), and a level to compare with "
        "needs 14; each run is appended." in new.verdict.reason
    )


@pytest.mark.parametrize("earlier", [0, 2, 13])
def test_too_few_runs_are_a_skip_and_no_pass(earlier: int) -> None:
    found = judged([*QUIET[:earlier], 100.0], others=12)
    assert found.verdict.status == found.trend.status == "skipped"
    assert f"the history has {earlier} of the same kind (12 more differ in cluster, " in found.verdict.reason
    assert (found.verdict.measured, found.trend.typical, found.trend.compared_with) == (None, None, 0)
    assert len(found.trend.points) == earlier


def test_without_a_value_nothing_is_judged() -> None:
    assert "has no value in this run" in judge(nights(QUIET), None).verdict.reason
    still = judged([*QUIET, 0.0])
    assert "stalled" in still.verdict.reason
    assert judge(nights(QUIET), None).verdict.status == still.verdict.status == "inconclusive"


def test_a_steady_decline_is_found_though_no_night_is_far_below_its_week() -> None:
    declining = [value * 0.997**night for night, value in enumerate(QUIET * 6)]
    verdict = judged(declining).verdict
    assert verdict.status == "fail"
    assert min(later / earlier for earlier, later in zip(declining, declining[7:], strict=False)) > 0.96


def test_a_fall_that_two_nights_cannot_tell_is_told_by_a_week() -> None:
    assert judged([*QUIET, *[895.0] * 6]).verdict.status == "pass"
    week = judged([*QUIET, *[895.0] * 7]).verdict
    assert week.status == "fail" and "since 2026-11-15 (run run-14) about 10.5 % lower" in week.reason


def test_a_shorter_level_is_compared_sooner_and_less_sharply() -> None:
    week = judged(QUIET, limit(runs=7))
    assert (week.verdict.status, week.trend.compared_with) == ("pass", 7)
    month = judged([*QUIET, *QUIET, *QUIET], limit(runs=30))
    assert month.trend.expected_low is not None and week.trend.expected_low is not None
    assert month.trend.expected_low > week.trend.expected_low


def test_a_run_that_knows_itself_less_well_is_given_more_room() -> None:
    """`u`: the interval of this run is wider than that of any before it."""
    alike, wider = nights(QUIET, within=0.01), nights([800.0], within=0.3)[0]
    assert surpluses([*alike, wider])[:-1] == [0.0] * len(QUIET)
    surplus = surpluses([*alike, wider])[-1]
    assert surplus == pytest.approx((math.log(1.3) ** 2 - math.log(1.01) ** 2) / 1.96**2)
    logs = [math.log(value) for value in QUIET]
    sure, unsure = (noise_reach(logs, level_runs=14, surplus=each, error=1e-3) for each in (0.0, surplus))
    assert unsure.night > 2 * sure.night and unsure.week > sure.week


def test_more_limits_make_each_one_less_sharp() -> None:
    *earlier, this = nights([*QUIET, 985.0])
    one, many = (judge_history(earlier, this, limit(), limits=limits, storage_class="fast").trend for limits in (1, 10))
    assert many.expected_low is not None and one.expected_low is not None
    assert many.expected_low < one.expected_low


@given(
    values=st.lists(st.floats(0.5, 2.0), min_size=14, max_size=60),
    factor=st.floats(0.001, 1000.0),
    last=st.floats(0.01, 0.99),
)
def test_the_unit_makes_no_difference_and_the_worse_last_runs_are_the_sooner_they_fail(
    values: list[float], factor: float, last: float
) -> None:
    status = {"pass": 0, "fail": 1}
    lower, higher = (judged([*values, each, each]).verdict.status for each in (last / 2, last))
    assert status[lower] >= status[higher]
    assert judged([factor * value for value in [*values, last, last]]).verdict.status == higher


def test_the_results_hold_the_last_runs_alone() -> None:
    found = judged([500.0, *noisy(100, noise=0.02, seed=2)])
    assert len(found.trend.points) == KEPT_POINTS
    assert found.trend.compared_with == RUNS == 14


def test_the_trend_holds_what_a_picture_needs() -> None:
    trend = judged([*QUIET, 985.0], within=0.01).trend
    assert [point.mean for point in trend.points] == QUIET
    assert trend.this_run is not None
    assert (trend.this_run.run, trend.this_run.mean) == ("run-14", 985.0)
    assert trend.typical == pytest.approx(1000.0, abs=0.5)
    assert trend.expected_low is not None and trend.expected_high is not None
    assert trend.expected_low < trend.typical < trend.expected_high
    assert (trend.higher_is_better, trend.margin, trend.unit, trend.level_from) == (True, 0.10, "1/s", "run-0")


LEVEL = {"value", "level", "level_from", "expected_low", "expected_high"}
SMALLEST = {"smallest_in_two", "smallest_in_week"}


@pytest.mark.parametrize(
    ("found", "code", "names"),
    [
        (judged([*QUIET, 985.0]), "not_worse", LEVEL | SMALLEST),
        (judged([*QUIET, 1300.0, 1310.0, 1305.0]), "not_worse", LEVEL | SMALLEST | {"better_since"}),
        (judged([*QUIET, 800.0]), "worse_once", LEVEL),
        (judged([*QUIET, 800.0, 805.0]), "worse", LEVEL | {"since"}),
        (judged(QUIET[:3], others=12, accepted=1), "too_few_runs", {"earlier", "before", "others"}),
        (judge(nights(QUIET), None), "no_value", set()),
        (judge(nights(QUIET), nights([1.0])[0].model_copy(update={"mean": 0.0})), "stalled", set()),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_was_found_is_data(found: HistoryVerdict, code: str, names: set[str]) -> None:
    outcome = found.verdict.outcome
    assert outcome is not None and (outcome.code, outcome.facts.keys()) == (f"history.{code}", names)


def test_the_facts_are_those_of_the_level_and_of_the_change() -> None:
    fallen, few = judged([*QUIET, 800.0, 805.0]), judged(QUIET[:3], others=12, accepted=1)
    assert fallen.verdict.outcome is not None and few.verdict.outcome is not None
    facts = fallen.verdict.outcome.facts
    assert facts["value"] == 805.0 and facts["level"] == fallen.trend.typical and facts["level_from"] == "2026-11-01"
    ratio = pytest.approx(0.803, abs=0.001)
    assert facts["since"] == {"run": "run-14", "date": "2026-11-15", "ratio": ratio}
    assert few.verdict.outcome.facts == {"earlier": 1, "before": 1, "others": 12}
