"""Verdicts on rebuilds: what decides, what one measurement cannot decide, and the arithmetic in every reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.judging.rebuild_size import ONCE
from acceptance.judging.rebuilds import judge_rebuild, skip_judging, times_of
from acceptance.limits.rebuilds import Kind, rebuild_limit
from acceptance.results.document import Verdict
from acceptance.results.rebuilds import RebuildRecord, RebuildTimes
from selftests.unit.rebuild_records import GI, foreground, record, timed

IN_A_DAY = 2 * GI * 86400 / 31


def judged(found: RebuildRecord, kind: Kind, value: float) -> Verdict:
    limit = rebuild_limit("full-data", kind, value, because="data is at risk.")
    return judge_rebuild(found, limit)


def test_the_reason_carries_the_arithmetic() -> None:
    verdict = judged(record(), "largest_volume", 8 * 1024 * GI)
    assert verdict.status == "fail"
    assert verdict.reason == (
        "full-data on fast: rebuilt 2 GiB in 31 s (measured once, to within 1 s); in 24 h that is 5.444 TiB; expected "
        "at least 8 TiB (reason for the limit: data is at risk)."
    )
    assert (verdict.measured, verdict.low, verdict.high, verdict.unit) == (pytest.approx(IN_A_DAY), None, None, "B")
    assert verdict.metric == "rebuild.largest_volume" and verdict.confidence is None
    assert verdict.id == "fast/full-data/rebuild.largest-volume/largest-volume"


def test_tries_that_failed_are_counted_in_it() -> None:
    one, two = timed(31.0), timed(31.0).model_copy(update={"failures": ["r-4: no space", "r-4: no space"]})
    assert (
        "(measured once, to within 1 s, with 2 failed attempts); in 24 h"
        in judged(record(two), "largest_volume", GI).reason
    )
    assert "failed" not in judged(record(one), "largest_volume", GI).reason


def test_snapshots_are_named_in_it() -> None:
    verdict = judged(record(snapshots=3), "largest_volume", GI)
    assert verdict.status == "pass"
    assert "in 24 h, divided by 3 snapshots, that is 1.815 TiB; expected at least 1 GiB." in verdict.reason


@pytest.mark.parametrize(
    ("limit", "status", "said"),
    [
        (IN_A_DAY / (1 + ONCE) * 0.999, "pass", "expected"),
        (IN_A_DAY / (1 + ONCE) * 1.001, "inconclusive", "which may be off by 25 %; more rebuilds"),
        (IN_A_DAY, "inconclusive", "the measured times cannot decide (5.273 TiB to 5.625 TiB); a larger"),
        (IN_A_DAY * (1 + ONCE) * 0.999, "inconclusive", "which may be off by 25 %; more rebuilds"),
        (IN_A_DAY * (1 + ONCE) * 1.001, "fail", "data is at risk"),
    ],
)
def test_one_rebuild_does_not_decide_a_limit_that_is_near(limit: float, status: str, said: str) -> None:
    verdict = judged(record(), "largest_volume", limit)
    assert verdict.status == status
    assert said in verdict.reason


def test_nor_one_that_is_nearer_than_the_looks_were() -> None:
    """Timed to 16 s of 31: a half."""
    rough = record(timed(31.0, exact_to_s=16.0))
    verdict = judged(rough, "largest_volume", IN_A_DAY * 0.75)
    assert verdict.status == "inconclusive"
    assert verdict.reason.endswith(
        "expected at least 4.083 TiB, which the measured times cannot decide (3.59 TiB to 11.25 TiB); a larger "
        "--storage-rebuild size would decide it."
    )
    assert judged(rough, "largest_volume", IN_A_DAY * 0.6).status == "pass"
    assert judged(rough, "largest_volume", IN_A_DAY * 2).status == "inconclusive", "it may have taken 15 s"
    assert judged(rough, "largest_volume", IN_A_DAY * 2.1).status == "fail"


def test_one_that_was_never_seen_to_go_on_fails_no_limit() -> None:
    """It may have been as quick as one likes."""
    verdict = judged(record(timed(31.0, exact_to_s=31.0)), "largest_volume", IN_A_DAY * 1000)
    assert verdict.status == "inconclusive"
    assert "(2.722 TiB and more)" in verdict.reason


def test_nor_is_a_limit_within_the_times_decided_by_many_rebuilds() -> None:
    """All told late by the same storage."""
    found = record(*(timed(30.0 + 0.01 * number, exact_to_s=10.0) for number in range(5)))
    assert found.largest_volume.low is not None
    for factor in (0.8, 1.2):
        verdict = judged(found, "largest_volume", found.largest_volume.mean * factor)
        assert verdict.status == "inconclusive" and "--storage-rebuild size" in verdict.reason
    assert judged(found, "largest_volume", found.largest_volume.mean * 0.7).status == "pass"
    assert judged(found, "largest_volume", found.largest_volume.mean * 1.6).status == "fail"


RANK = {"fail": 0, "inconclusive": 1, "pass": 2}
SECONDS = st.lists(st.floats(1.0, 1e5), min_size=1, max_size=5)
UNCERTAIN = st.floats(0.0, 100.0)
LIMITS = st.floats(GI, 1e4 * 1024 * GI)


@given(seconds=SECONDS, exact_to_s=UNCERTAIN, wider=UNCERTAIN, limit=LIMITS)
def test_a_wider_uncertainty_decides_nothing_that_was_open(
    seconds: list[float], exact_to_s: float, wider: float, limit: float
) -> None:
    narrow, wide = (
        judged(record(*(timed(duration, exact_to_s=more) for duration in seconds)), "largest_volume", limit).status
        for more in (exact_to_s, exact_to_s + wider)
    )
    assert wide in (narrow, "inconclusive")


@given(seconds=SECONDS, longer=st.lists(st.floats(1.0, 100.0), min_size=5, max_size=5), off=UNCERTAIN, limit=LIMITS)
def test_a_longer_rebuild_never_turns_a_fail_into_a_pass(
    seconds: list[float], longer: list[float], off: float, limit: float
) -> None:
    slower = [each * factor for each, factor in zip(seconds, longer, strict=False)]
    quick, slow = (
        judged(record(*(timed(time_s, exact_to_s=off) for time_s in times)), "largest_volume", limit).status
        for times in (seconds, slower)
    )
    assert not (quick == "fail" and slow == "pass")
    if len(seconds) == 1:
        assert RANK[slow] <= RANK[quick]


def test_repeated_rebuilds_decide_by_their_interval() -> None:
    found = record(timed(30.0, exact_to_s=0.1), timed(31.0, exact_to_s=0.1), timed(32.0, exact_to_s=0.1))
    low, high = found.largest_volume.low, found.largest_volume.high
    assert low is not None and high is not None
    for limit, status in ((low * 0.99, "pass"), (low * 1.01, "inconclusive"), (high * 1.01, "fail")):
        verdict = judged(found, "largest_volume", limit)
        assert verdict.status == status, verdict.reason
        assert (verdict.low, verdict.high, verdict.confidence) == (low, high, 0.98)
        assert "mean of 3 rebuilds" in verdict.reason and "98% CI" in verdict.reason


@pytest.mark.parametrize(
    ("kind", "value", "status", "said"),
    [
        (
            "foreground_iops",
            0.25,
            "pass",
            "was 1,000 IOPS before the rebuild and 400 IOPS during it, 40 % of that before",
        ),
        ("foreground_iops", 0.6, "fail", "data is at risk"),
        ("foreground_iops", 0.4, "inconclusive", "the CI contains the limit"),
        ("foreground_p99", 10.0, "pass", "was 2 ms before the rebuild and 10 ms during it, 5x"),
        ("foreground_p99", 3.0, "fail", "data is at risk"),
    ],
)
def test_the_foreground_is_judged_by_its_ratio(kind: Kind, value: float, status: str, said: str) -> None:
    verdict = judged(record(), kind, value)
    assert (verdict.status, verdict.unit) == (status, "ratio"), verdict.reason
    assert said in verdict.reason
    assert verdict.low is not None and verdict.measured is not None and verdict.low < verdict.measured


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"foreground": None, "foreground_missing": "the load ended too early: gone"},
            "ended too early: gone",
        ),
        ({"foreground": foreground(p99_s=None)}, "in some part of it no write was completed"),
    ],
)
def test_what_is_not_known_is_not_judged(more: dict[str, Any], said: str) -> None:
    verdict = judged(record(**more), "foreground_p99", 10.0)
    assert (verdict.status, verdict.measured) == ("inconclusive", None)
    assert said in verdict.reason


def test_a_rebuild_that_is_over_too_soon_says_so() -> None:
    load = foreground()
    short = load.model_copy(
        update={"iops_during": load.iops_during.model_copy(update={"batches": load.iops_during.batches[:2]})}
    )
    verdict = judged(record(foreground=short), "foreground_iops", 0.1)
    assert verdict.status == "inconclusive" and "--storage-rebuild size" in verdict.reason


def test_without_a_limit_the_figures_are_told() -> None:
    verdict = skip_judging(record())
    assert verdict.status == "skipped"
    assert "rebuilt 2 GiB in 31 s" in verdict.reason and "measured, no limit (" in verdict.reason


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        (IN_A_DAY / 2, "within"),
        (IN_A_DAY * 2, "outside"),
        (IN_A_DAY, "inexact_times"),
        (IN_A_DAY * 1.2, "measured_once"),
    ],
)
def test_what_was_found_of_one_size_is_data(limit: float, code: str) -> None:
    verdict = judged(record(), "largest_volume", limit)
    assert verdict.outcome is not None and verdict.outcome.code == f"rebuilds.{code}"
    facts = dict(verdict.outcome.facts)
    times = facts.pop("times")
    assert times == {
        "sizes": [{"size": 2 * GI, "seconds": 31.0}],
        "repeats": 1,
        "uncertainty_s": 1.0,
        "failures": 0,
        "snapshots": 1,
        "time_limit_s": 86400.0,
        "grows_faster": False,
        "largest": IN_A_DAY,
        "confidence": verdict.confidence or record().confidence,
    }
    more: dict[str, Any] = {
        "inexact_times": {"between_bytes": [pytest.approx(IN_A_DAY * 31 / 32), pytest.approx(IN_A_DAY * 31 / 30)]},
        "measured_once": {"off_by": ONCE},
    }
    assert facts == more.get(code, {})


def test_what_may_have_taken_no_time_has_no_bound_and_no_size() -> None:
    verdict = judged(record(timed(31.0, exact_to_s=31.0)), "largest_volume", IN_A_DAY * 1000)
    assert verdict.outcome is not None and verdict.outcome.code == "rebuilds.inexact_times"
    times = verdict.outcome.facts["times"]
    assert isinstance(times, dict) and "largest" not in times and times["at_least"] == pytest.approx(IN_A_DAY / 2)
    assert verdict.outcome.facts["between_bytes"] == [pytest.approx(IN_A_DAY / 2), None]


def test_a_limit_within_the_interval_of_repeats_is_named_so() -> None:
    found = record(*(timed(each, exact_to_s=0.1) for each in (28.0, 31.0, 34.0)))
    assert found.largest_volume.low is not None
    outcome = judged(found, "largest_volume", found.largest_volume.low * 1.05).outcome
    assert outcome is not None and outcome.code == "rebuilds.on_both_sides"


@pytest.mark.parametrize(
    ("kind", "value", "code", "facts"),
    [
        ("foreground_iops", 0.25, "foreground_within", {"before": 1000.0, "during": 400.0}),
        ("foreground_iops", 0.4, "foreground_on_both_sides", {"before": 1000.0, "during": 400.0}),
        ("foreground_p99", 3.0, "foreground_outside", {"before": 0.002, "during": 0.01}),
    ],
)
def test_what_was_found_of_the_foreground_is_data(kind: Kind, value: float, code: str, facts: dict[str, float]) -> None:
    outcome = judged(record(), kind, value).outcome
    assert outcome is not None
    assert (outcome.code, outcome.facts) == (f"rebuilds.{code}", pytest.approx(facts))


def test_a_foreground_that_is_not_known_is_data_too() -> None:
    ended = judged(record(foreground=None, foreground_missing="gone"), "foreground_p99", 10.0).outcome
    assert ended is not None and (ended.code, ended.facts) == ("rebuilds.foreground_unknown", {"missing": "gone"})
    none_done = judged(record(foreground=foreground(p99_s=None)), "foreground_p99", 10.0).outcome
    assert none_done is not None and (none_done.code, none_done.facts) == ("rebuilds.foreground_unknown", {})
    load = foreground()
    few = load.iops_during.model_copy(update={"batches": load.iops_during.batches[:2]})
    short = judged(record(foreground=load.model_copy(update={"iops_during": few})), "foreground_iops", 0.1).outcome
    assert short is not None and short.code == "rebuilds.foreground_too_short"
    assert short.facts == {"before": load.iops_before.mean, "during": load.iops_during.mean}


def test_without_a_limit_the_times_are_the_facts() -> None:
    outcome = skip_judging(record()).outcome
    assert outcome is not None and outcome.code == "rebuilds.unlimited"
    times = RebuildTimes.model_validate(outcome.facts["times"])
    assert times == times_of(record()) and times.largest == pytest.approx(IN_A_DAY)
