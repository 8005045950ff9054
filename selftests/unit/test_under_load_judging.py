"""A latency at a share of the capacity, judged: only at a rate that was kept, and only for certain."""

from __future__ import annotations

import pytest

from acceptance.judging.under_load import judge_under_load
from acceptance.results.document import Verdict
from acceptance.results.scaling import Figure
from acceptance.results.under_load import ShareRecord, Span, UnderLoadRecord
from selftests.unit.simulated_shares import at_most

KEPT, OPEN, MISSED = (0.99, 1.0), (0.95, 0.99), (0.9, 0.95)
QUICK, NEAR, SLOW = (0.001, 0.002), (0.002, 0.004), (0.004, 0.005)


def at(
    reached: tuple[float | None, float | None], latency: tuple[float | None, float | None], *, share: float = 0.8
) -> ShareRecord:
    mean = 0.0015 if None in latency else sum(latency) / 2  # type: ignore[arg-type]
    return ShareRecord(
        share=share,
        asked=4000,
        reached=Figure(mean=0.97, low=reached[0], high=reached[1], batches=[]),
        latencies={"write.latency.p99": Span(mean=mean, low=latency[0], high=latency[1])},
        confidence=0.98,
        duration_s=60.0,
    )


def record(*shares: ShareRecord, capacity: bool = True, cache: int | None = None) -> UnderLoadRecord:
    return UnderLoadRecord(
        profile="writes",
        storage_class="fast",
        node="n",
        metric="write.iops",
        capacity=Span(mean=5100.0, low=5000.0, high=5200.0) if capacity else None,
        sure=5000.0 if capacity else 0.0,
        confidence=0.98,
        at_capacity={},
        shares=list(shares),
        test_size=2**30,
        cache=cache,
    )


def judged(reached: tuple[float, float], latency: tuple[float, float]) -> Verdict:
    return judge_under_load(record(at(reached, latency)), at_most(0.003))


@pytest.mark.parametrize(
    ("reached", "latency", "status"),
    [
        (KEPT, QUICK, "pass"),
        (KEPT, NEAR, "inconclusive"),
        (KEPT, SLOW, "fail"),
        (OPEN, QUICK, "inconclusive"),
        (OPEN, NEAR, "inconclusive"),
        (OPEN, SLOW, "fail"),
        (MISSED, QUICK, "fail"),
        (MISSED, NEAR, "fail"),
        (MISSED, SLOW, "fail"),
    ],
)
def test_a_pass_needs_the_rate_and_the_latency_and_either_of_them_fails(
    reached: tuple[float, float], latency: tuple[float, float], status: str
) -> None:
    assert judged(reached, latency).status == status


def test_the_reason_has_share_rate_latency_and_limit() -> None:
    reason = judged(KEPT, QUICK).reason
    assert reason.startswith(
        "write.latency.p99 of writes on fast at 80 % of its capacity (4,000 IOPS of 5,000 IOPS) is "
    )
    assert "(98% CI 1 ms to 2 ms); the whole CI meets the limit of at most 3 ms; the rate was kept: 97 % of" in reason


def test_a_rate_that_is_not_kept_is_told_whatever_the_latency() -> None:
    reason = judged(MISSED, QUICK).reason
    assert "the rate was not kept: 97 % of the requested operations done" in reason
    assert "at most 95 %), certainly less than 98 %; the volume did more than that for a minute before" in reason
    assert "it is undecided whether the rate was kept: " in judged(OPEN, QUICK).reason
    assert "misses the limit of at most 3 ms (reason for the limit: commits wait" in judged(OPEN, SLOW).reason


def test_its_id_is_not_that_of_the_limit_at_full_load() -> None:
    verdict = judged(KEPT, QUICK)
    assert verdict.id == "fast/writes/write.latency.p99/at-most-under-load"
    assert verdict.limit == "write.latency.p99 at most 3 ms at 80 % of the capacity"
    assert (verdict.measured, verdict.low, verdict.high, verdict.unit) == (0.0015, 0.001, 0.002, "s")


@pytest.mark.parametrize("unknown", [at((None, None), QUICK), at(KEPT, (None, None))])
def test_too_few_seconds_or_operations_judge_nothing(unknown: ShareRecord) -> None:
    verdict = judge_under_load(record(unknown), at_most(0.003))
    assert verdict.status == "inconclusive" and "too few" in verdict.reason


def test_without_a_capacity_or_a_share_of_it_nothing_is_judged() -> None:
    nothing = judge_under_load(record(capacity=False), at_most(0.003))
    assert (nothing.status, nothing.measured) == ("inconclusive", None)
    assert nothing.outcome is not None and nothing.outcome.code == "under_load.no_capacity"
    other = judge_under_load(record(at(KEPT, QUICK, share=0.5)), at_most(0.003))
    assert other.status == "inconclusive"


def test_a_share_of_what_is_hardly_known_passes_nothing() -> None:
    """80 % of the lower end may then be half of what the volume can do; what fails there fails all the more."""
    wide = Span(mean=5600.0, low=5000.0, high=7000.0)
    for latency, status in ((QUICK, "inconclusive"), (SLOW, "fail")):
        found = record(at(KEPT, latency)).model_copy(update={"capacity": wide})
        assert judge_under_load(found, at_most(0.003)).status == status
    assert "not known well enough (mean 5,600 IOPS, certainly at least 5,000 IOPS)" in (
        judge_under_load(record(at(KEPT, QUICK)).model_copy(update={"capacity": wide}), at_most(0.003)).reason
    )


def test_a_pass_over_a_file_that_a_cache_holds_is_none() -> None:
    cached = judge_under_load(record(at(KEPT, QUICK), cache=2**30), at_most(0.003))
    assert cached.status == "inconclusive"
    assert "the target file names a cache of 1Gi, and the test file of 1Gi is no larger" in cached.reason
    assert judge_under_load(record(at(KEPT, SLOW), cache=2**30), at_most(0.003)).status == "fail"
    assert judge_under_load(record(at(KEPT, QUICK), cache=2**30 - 1), at_most(0.003)).status == "pass"


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (record(at(KEPT, QUICK)), "within"),
        (record(at(OPEN, SLOW)), "outside"),
        (record(at(MISSED, SLOW)), "rate_not_kept"),
        (record(at(KEPT, NEAR)), "on_both_sides"),
        (record(at(OPEN, QUICK)), "rate_open"),
        (record(at(KEPT, (None, None))), "too_few_samples"),
        (record(at((None, None), QUICK)), "too_few_samples"),
        (record(at(KEPT, QUICK).model_copy(update={"latencies": {}})), "no_value"),
        (record(at(KEPT, QUICK), cache=2**30), "cached"),
        (
            record(at(KEPT, QUICK)).model_copy(update={"capacity": Span(mean=5600.0, low=5000.0, high=7000.0)}),
            "capacity_not_known",
        ),
        (record(capacity=False), "no_capacity"),
        (record(), "too_little"),
    ],
)
def test_what_was_found_is_data(found: UnderLoadRecord, code: str) -> None:
    outcome = judge_under_load(found, at_most(0.003)).outcome
    assert outcome is not None and outcome.code == f"under_load.{code}"


def test_the_facts_are_those_of_the_load() -> None:
    outcome = judge_under_load(record(at(KEPT, QUICK), cache=2**30), at_most(0.003)).outcome
    assert outcome is not None and outcome.facts == {
        "asked": 4000,
        "sure": 5000.0,
        "latency": "pass",
        "rate": {"lies": "pass", "reached": 0.97, "low": 0.99, "high": 1.0, "least": 0.98},
        "warnings": [],
        "cache": 2**30,
        "test_size": 2**30,
    }
