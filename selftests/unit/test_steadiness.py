"""A limit that passed, and the same load at the end of the run: what takes the verdict back, as data and in words."""

from __future__ import annotations

import pytest

from acceptance.judging.limit import judge
from acceptance.judging.steadiness import judge_again
from acceptance.limits.limit import Limit
from acceptance.results.document import Estimate, Verdict
from acceptance.results.metrics import Metric
from acceptance.wording import sentence
from selftests.unit.made_limits import made_limit

LIMIT = made_limit(profile="writes", metric=Metric.parse("write.iops"), at_least=750.0, because="commits wait")


def found(rate: float) -> Estimate:
    return Estimate(mean=rate, low=rate * 0.99, high=rate * 1.01, unit="1/s", samples=60, confidence=0.99)


def first(rate: float, *, limit: Limit = LIMIT) -> Verdict:
    return judge(found(rate), limit, storage_class="fast")


def test_what_is_surely_missed_at_the_end_is_taken_back_with_both_figures() -> None:
    verdict = judge_again(first(900.0), LIMIT, found(600.0), after_s=1830.0)
    assert (verdict.status, verdict.measured) == ("inconclusive", 900.0)
    assert (verdict.low, verdict.high) == (pytest.approx(594.0), pytest.approx(909.0))
    assert verdict.outcome is not None
    assert (verdict.outcome.code, verdict.outcome.facts) == ("steadiness.changed", {"again": 600.0, "after_s": 1830.0})
    assert verdict.reason == sentence(verdict)
    assert verdict.reason == (
        "write.iops of writes on fast is not steady: it was first 900 IOPS, which meets the limit of at least 750 "
        "IOPS. The load was repeated 30 min later, at the end of the run: then it was 600 IOPS, which misses the "
        "limit. Find what slowed the storage down (credits, a cache, the tests in between), and repeat the run."
    )


@pytest.mark.parametrize(("rate", "again"), [(900.0, 800.0), (900.0, 750.0), (600.0, 500.0), (900.0, None)])
def test_any_other_verdict_stays_as_it_is(rate: float, again: float | None) -> None:
    passed = first(rate)
    assert judge_again(passed, LIMIT, None if again is None else found(again), after_s=1830.0) is passed


def test_a_percentile_stays_as_it_was_judged() -> None:
    limit = made_limit(profile="writes", metric=Metric.parse("write.latency.p99"), at_most=0.01, because="commits wait")
    low = Estimate(mean=0.002, low=0.001, high=0.003, unit="s", samples=60)
    passed = judge(low, limit, storage_class="fast")
    later = low.model_copy(update={"mean": 0.5, "low": 0.4, "high": 0.6})
    assert passed.status == "pass" and judge_again(passed, limit, later, after_s=1830.0) is passed
