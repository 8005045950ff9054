"""Verdicts on rebuilds: what decides, what one measurement cannot decide, and the arithmetic in every reason."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.judging.rebuilds import ONCE, judge_rebuild, unjudged
from acceptance.limits.rebuilds import Kind, RebuildLimit
from acceptance.results.document import Verdict
from acceptance.results.rebuilds import RebuildRecord
from selftests.unit.rebuild_records import GI, foreground, record, timed

IN_A_DAY = 2 * GI * 86400 / 31


def judged(found: RebuildRecord, kind: Kind, value: float) -> Verdict:
    limit = RebuildLimit(pattern="full-data", kind=kind, value=value, because="data is at risk.")
    return judge_rebuild(found, limit)


def test_the_reason_carries_the_arithmetic() -> None:
    verdict = judged(record(), "largest_volume", 8 * 1024 * GI)
    assert verdict.status == "fail"
    assert verdict.reason == (
        "full-data on fast: rebuilt 2 GiB in 31 s (measured once, to within 1 s); in 24 h that is 5.444 TiB; wanted at "
        "least 8 TiB: data is at risk."
    )
    assert (verdict.measured, verdict.low, verdict.high, verdict.unit) == (pytest.approx(IN_A_DAY), None, None, "B")
    assert verdict.metric == "rebuild.largest_volume" and verdict.confidence is None
    assert verdict.id == "fast/full-data/rebuild.largest-volume/largest-volume"


def test_snapshots_are_named_in_it() -> None:
    verdict = judged(record(snapshots=3), "largest_volume", GI)
    assert verdict.status == "pass"
    assert "in 24 h, divided by 3 snapshots, that is 1.815 TiB; wanted at least 1 GiB." in verdict.reason


@pytest.mark.parametrize(
    ("limit", "status"),
    [
        (IN_A_DAY / (1 + ONCE) * 0.999, "pass"),
        (IN_A_DAY / (1 + ONCE) * 1.001, "inconclusive"),
        (IN_A_DAY, "inconclusive"),
        (IN_A_DAY * (1 + ONCE) * 0.999, "inconclusive"),
        (IN_A_DAY * (1 + ONCE) * 1.001, "fail"),
    ],
)
def test_one_rebuild_does_not_decide_a_limit_that_is_near(limit: float, status: str) -> None:
    verdict = judged(record(), "largest_volume", limit)
    assert verdict.status == status
    assert ("may be off by 25 %" in verdict.reason) == (status == "inconclusive")


def test_nor_one_that_is_nearer_than_the_looks_were() -> None:
    """Timed to 16 s of 31: a half."""
    rough = record(timed(31.0, exact_to_s=16.0))
    assert judged(rough, "largest_volume", IN_A_DAY * 0.75).status == "inconclusive"
    assert judged(rough, "largest_volume", IN_A_DAY * 0.6).status == "pass"


def test_repeated_rebuilds_decide_by_their_interval() -> None:
    found = record(timed(30.0), timed(31.0), timed(32.0))
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
        ("foreground_iops", 0.25, "pass", "was 1,000 IOPS before the rebuild and 400 IOPS during it, 0.4x"),
        ("foreground_iops", 0.6, "fail", "data is at risk"),
        ("foreground_iops", 0.4, "inconclusive", "on both sides"),
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
            {"foreground": None, "foreground_missing": "the load ended before its time: gone"},
            "ended before its time: gone",
        ),
        ({"foreground": foreground(p99_s=None)}, "in some part of it none was completed"),
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
    assert verdict.status == "inconclusive" and "--storage-rebuild-size" in verdict.reason


def test_without_a_limit_the_figures_are_told() -> None:
    verdict = unjudged(record())
    assert verdict.status == "skipped"
    assert "rebuilt 2 GiB in 31 s" in verdict.reason and "the tier has no limit" in verdict.reason
