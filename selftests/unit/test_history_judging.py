"""A run beside those before it: the verdict, its words, and the trend for the report."""

from __future__ import annotations

import math
from statistics import fmean, stdev

import pytest

from acceptance.judging.history.noise import expectation
from acceptance.judging.history.verdicts import NIGHTLY_ERROR, Judged, judge_history
from acceptance.limits.history import KEPT_RUNS, HistoryLimit
from acceptance.results.history import TrendPoint
from acceptance.statistics.level_shift import find_shift
from acceptance.statistics.student_t import t_quantile
from selftests.unit.history_runs import limit, nights, noisy

QUIET = [1000.0, 1010.0, 990.0, 1005.0, 995.0, 1002.0, 998.0]


def judged(values: list[float], asked: HistoryLimit | None = None, *, within: float = 0.0, others: int = 0) -> Judged:
    """The last value judged beside the others."""
    *earlier, this = nights(values, within=within)
    return judge(earlier, this, asked, others=others)


def judge(
    earlier: list[TrendPoint], this: TrendPoint | None, asked: HistoryLimit | None = None, *, others: int = 0
) -> Judged:
    return judge_history(earlier, this, asked or limit(), limits=4, others=others, storage_class="fast")


def test_a_run_as_those_before_passes_and_says_what_would_have_been_told() -> None:
    found = judged([*QUIET, 985.0])
    assert found.verdict.status == found.trend.status == "pass"
    assert found.verdict.reason == (
        "write.iops of sync-write-iops on fast is 985 IOPS, 1.5 % lower than the 1,000 IOPS of the last 7 runs "
        "(99.75% CI 4.88 % lower to 2 % higher), not worse by more than 10 % beyond noise; "
        "a change for the worse of 10 % would have been told."
    )
    assert found.verdict.id == "fast/sync-write-iops/write.iops/not-worse-than-before-by"
    assert (found.verdict.unit, found.verdict.confidence) == ("ratio", 0.9975)


def test_a_fall_beyond_noise_and_margin_fails_and_says_why() -> None:
    verdict = judged([*QUIET, 800.0]).verdict
    assert verdict.status == "fail"
    assert verdict.measured == pytest.approx(0.8, abs=0.001)
    assert "is 800 IOPS, 20 % lower than the 1,000 IOPS of the last 7 runs" in verdict.reason
    assert verdict.reason.endswith("worse than the 10 % allowed, beyond noise: databases wait for it.")


def test_a_fall_within_the_margin_passes_however_sure_it_is() -> None:
    verdict = judged([*QUIET, 920.0]).verdict
    assert verdict.high is not None
    assert verdict.high < 1.0
    assert verdict.status == "pass"


def test_a_fall_within_noise_passes_however_large_it_is() -> None:
    verdict = judged([1000.0, 700.0, 1400.0, 800.0, 1250.0, 750.0, 1300.0, 750.0]).verdict
    assert verdict.measured is not None
    assert verdict.measured < 0.8
    assert verdict.status == "pass"
    assert "a change for the worse of 78" in verdict.reason


def test_latency_is_worse_when_it_is_higher() -> None:
    slow = limit(metric="write.latency.mean")
    latencies = [value / 1e6 for value in QUIET]
    assert judged([*latencies, 0.0012], slow).verdict.status == "fail"
    assert judged([*latencies, 0.0008], slow).verdict.status == "pass"
    assert "is 1.2 ms, 20 % higher than the 1 ms of" in judged([*latencies, 0.0012], slow).verdict.reason


def test_what_became_better_is_no_failure() -> None:
    found = judged([*QUIET, 1300.0, 1310.0, 1305.0])
    assert found.verdict.status == "pass"
    assert found.trend.change_point is not None
    assert found.trend.change_point.change == pytest.approx(0.305, abs=0.01)
    assert "since 2026-11-08 (run run-7) about 30.5 % higher than in the 7 runs before" in found.verdict.reason


@pytest.mark.parametrize("earlier", [0, 2])
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


def test_a_fall_in_steps_is_found_with_its_day() -> None:
    """This night is 4 % below its week. The level is that of the steps together; its day is that of the first."""
    found = judged([*QUIET, *QUIET, 915.0, 912.0, 910.0, 905.0, 830.0, 835.0, 828.0, 832.0, 830.0])
    assert found.verdict.status == "fail"
    assert "is 830 IOPS, 3.9 % lower than the 863.7 IOPS of the last 7 runs (99.75% CI " in found.verdict.reason
    assert (
        "; since 2026-11-15 (run run-14) about 13.5 % lower than in the 14 runs before, worse than the 10 % allowed, "
        "beyond noise: databases wait for it." in found.verdict.reason
    )
    assert found.trend.change_point is not None
    assert found.trend.change_point.date.isoformat() == "2026-11-15T02:00:00+00:00"
    assert (found.trend.change_point.before, found.trend.change_point.after) == (14, 9)


def test_a_fall_that_is_over_is_no_alarm_any_more() -> None:
    """Most of the last runs are still on the lower level, but this one is not."""
    fallen = [*QUIET, *QUIET, *QUIET, *(0.8 * value for value in QUIET)]
    assert judged(fallen).verdict.status == "fail"
    back = judged([*fallen, 1001.0])
    assert (back.verdict.status, back.trend.change_point) == ("pass", None)


def test_one_bad_run_is_no_change_of_level() -> None:
    found = judged([*QUIET, 800.0])
    assert found.trend.change_point is None


def test_the_interval_is_that_of_one_further_value() -> None:
    """From ten runs the noise, from the last seven what is expected."""
    points = nights(noisy(10, noise=0.05, seed=1))
    logs = [math.log(point.mean) for point in points]
    found = expectation(points, points[-1], runs=7, error=0.0025)
    assert found.middle == fmean(logs[-7:])
    t = t_quantile(1 - 0.00125, degrees=9)
    assert found.reach == pytest.approx(t * stdev(logs) * math.sqrt(1 + 1 / 7))


def test_a_run_that_was_measured_less_well_than_those_before_is_allowed_for() -> None:
    earlier, this = nights(QUIET, within=0.02), nights([800.0], within=0.5)[0]
    assert judge(earlier, this).verdict.status == "pass"
    well = this.model_copy(update={"low": 790.0, "high": 810.0})
    assert judge(earlier, well).verdict.status == "fail"
    # What others have as well is in their spread already.
    assert judged([*QUIET, 800.0], within=0.5).verdict.status == "fail"
    assert judge([*earlier[:-1], nights(QUIET, within=0.5)[-1]], this).verdict.status == "fail"


def test_more_limits_make_each_one_less_sharp() -> None:
    *earlier, this = nights([*QUIET, 985.0])
    one, many = (
        judge_history(earlier, this, limit(), limits=limits, storage_class="fast").verdict for limits in (1, 10)
    )
    assert (one.confidence, many.confidence) == (1 - NIGHTLY_ERROR, 1 - NIGHTLY_ERROR / 10)
    assert many.low is not None and one.low is not None
    assert many.low < one.low


def test_only_the_last_runs_count() -> None:
    found = judged([500.0, *noisy(40, noise=0.02, seed=2)])
    assert len(found.trend.points) == KEPT_RUNS
    assert found.trend.compared_with == 7
    assert judged([500.0] * 5 + [1000.0, 1001.0, 999.0], limit(runs=3)).trend.compared_with == 3


def test_the_trend_holds_what_a_picture_needs() -> None:
    trend = judged([*QUIET, 985.0], within=0.01).trend
    assert [point.mean for point in trend.points] == QUIET
    assert trend.this_run is not None
    assert (trend.this_run.run, trend.this_run.mean) == ("run-7", 985.0)
    assert trend.typical == pytest.approx(1000.0, abs=0.1)
    assert trend.expected_low is not None and trend.expected_high is not None
    assert trend.expected_low < trend.typical < trend.expected_high
    assert (trend.higher_is_better, trend.margin, trend.unit) == (True, 0.10, "1/s")


@pytest.mark.parametrize("values", [[], [0.0], [1.0, 1.0, 1.0, 2.0], [1.0] * 30, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]])
def test_no_shift_where_there_is_none(values: list[float]) -> None:
    assert find_shift(values, error=0.01) is None


def test_storage_without_noise_shifts_by_more_than_nothing() -> None:
    """As where a provider holds every disk to the same rate."""
    shift = find_shift([7.0] * 5 + [6.8] * 2, error=0.0025)
    assert shift is not None
    assert (shift.index, round(shift.change, 6)) == (5, -0.2)
    assert find_shift([7.0] * 5 + [6.9999] * 2, error=0.0025) is None
