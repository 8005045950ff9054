"""How a ratio is told: one wording everywhere, and never a figure that reads as on the other side of its limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.report.figures import (
    shown_metric,
    shown_value,
    shown_value_interval,
    shown_verdict_figure,
    shown_verdict_interval,
    shown_verdict_value,
)
from acceptance.results.bounds import bound_of
from acceptance.results.ratio_words import amount, comparison, comparison_interval, factor, share
from acceptance.wording.history import difference
from selftests.unit.compared_runs import estimate, judged, measured


@pytest.mark.parametrize(
    ("rule", "metric", "of", "told"),
    [
        ("not_better_than_baseline_by", "write.iops", (0.2, 0.1, 0.4), ("5x slower", "2.5x to 10x (99% CI)")),
        ("not_worse_than_baseline_by", "cpu.per_operation", (3.2, 3.0, 3.5), ("3.2x more", "3x to 3.5x (99% CI)")),
        ("not_worse_than_before_by", "read.latency.mean", (1.12, 1.1, 1.2), ("12 % slower", "10 % to 20 % (99% CI)")),
        ("rate_limited", "write.iops", (0.978, 0.93, 0.991), ("97.8 %", "93 % to 99.1 % (99% CI)")),
        ("foreground_iops", "write.iops", (0.4, 0.3, 0.5), ("40 %", "30 % to 50 % (99% CI)")),
        ("latency_growth", "write.latency.mean", (3.1, 3.0, 3.2), ("3.1x", "3x to 3.2x (99% CI)")),
    ],
)
def test_a_verdict_on_a_ratio_is_told_as_its_rule_asks(
    rule: str, metric: str, of: tuple[float, float, float], told: tuple[str, str]
) -> None:
    measured, low, high = of
    verdict = judged(rule=rule, metric=metric, unit="ratio", measured=measured, low=low, high=high, confidence=0.99)
    assert (shown_verdict_value(verdict), shown_verdict_interval(verdict)) == told
    value, interval = told
    assert shown_verdict_figure(verdict) == f"{value} (99% CI {interval.removesuffix(' (99% CI)')})"


@pytest.mark.parametrize(
    ("ratio", "beside", "words"),
    [
        (1.2004, 1.2, "20.04 % faster"),
        (1.1996, 1.2, "19.96 % faster"),
        (1.2, 1.2, "20 % faster"),
        (3.004, 3.0, "3.004x faster"),
        (0.5, 1.2, "2x slower"),
    ],
)
def test_a_figure_beside_a_limit_never_reads_as_on_its_other_side(ratio: float, beside: float, words: str) -> None:
    assert comparison(ratio, "write.iops", beside=beside) == words


@given(st.floats(0.001, 1000.0), st.floats(0.1, 10.0))
def test_what_is_shown_lies_on_the_side_of_the_limit_where_the_value_is(ratio: float, beside: float) -> None:
    times = factor(ratio) >= 2.0
    if (ratio > 1.0) != (beside > 1.0):
        return
    shown = float(amount(ratio, times=times, beside=beside).rstrip(" %x").replace(",", ""))
    true, limit = (factor(ratio), factor(beside)) if times else (100 * abs(ratio - 1), 100 * abs(beside - 1))
    true, limit = round(true, 9), round(limit, 9)
    assert (shown > limit) <= (true > limit) and (shown < limit) <= (true < limit)


@pytest.mark.parametrize(("ratio", "words"), [(0.82, "18 % lower"), (11.25, "11x higher"), (0.2, "5x lower")])
def test_a_level_of_the_history_is_told_likewise(ratio: float, words: str) -> None:
    assert difference(ratio) == words


def test_a_share_is_in_percent_and_keeps_its_side_of_the_limit() -> None:
    assert [share(each) for each in (0.978, 1.0, 0.4, 1.002, 0.0)] == ["97.8 %", "100 %", "40 %", "100.2 %", "0 %"]
    assert share(0.94996, beside=0.95) == "94.996 %"


def test_an_interval_of_both_directions_names_both() -> None:
    assert comparison_interval(0.9, 1.1, "write.iops", ratio=1.0) == "10 % slower to 10 % faster"
    assert comparison_interval(0.0, 0.5, "write.iops", ratio=0.2) == "100 % slower to 2x slower"


def test_the_limit_of_a_share_is_read_back_from_the_words_of_older_suites() -> None:
    limit = "write.iops of every rate-limited volume at least 95 % of its rate"
    bound = bound_of(judged(limit=limit, rule="rate_limited", unit="ratio"))
    assert bound is not None and (bound.value, bound.words) == (pytest.approx(0.95), "at least 95 %")


def test_a_stall_is_told_as_between_what_it_lies_and_has_no_ci() -> None:
    stall = estimate(0.008, path="stall.longest").model_copy(update={"low": 0.008, "high": 1.008})
    assert shown_value(stall, "stall.longest") == "at most 1.008 s"
    assert shown_value_interval(stall, "stall.longest") == ""
    verdict = judged(metric="stall.longest", unit="s", measured=0.008, low=0.008, high=1.008)
    assert shown_verdict_value(verdict) == "at most 1.008 s"
    assert shown_verdict_value(verdict.model_copy(update={"low": 8.0, "high": 9.0})) == "between 8 s and 9 s"
    assert shown_verdict_value(verdict.model_copy(update={"high": 0.008})) == "8 ms"


def test_a_stall_without_latencies_says_why_it_is_a_range() -> None:
    stall = estimate(0.008, path="stall.longest").model_copy(update={"low": 0.008, "high": 1.008})
    bare = measured({"stall.longest": stall, "write.iops": 100.0})
    assert shown_metric(bare, "stall.longest") == "at most 1.008 s (this profile records no latencies)"
    assert shown_metric(bare, "write.iops") == "100 IOPS"
    timed = measured({"stall.longest": stall, "write.latency.mean": 0.001})
    assert shown_metric(timed, "stall.longest") == "at most 1.008 s"
