"""Control operations judged: by the whole interval of a percentile, and by each one that failed."""

from __future__ import annotations

import pytest

from acceptance.judging.operations import CONFIDENCE, judge_operations, needed_count
from acceptance.results.requirement import Outcome
from selftests.unit.made_limits import of_operations
from selftests.unit.operation_records import BIND, NONE_FAILED, record, times

FAST, SLOW = [1.0 + number / 100 for number in range(100)], [40.0 + number for number in range(100)]
SHARE = of_operations("failed", 0.05, because="somebody has to look")


@pytest.mark.parametrize(
    ("seconds", "status", "said"),
    [
        (FAST, "pass", "the whole CI meets the limit of at most 30 s"),
        (SLOW, "fail", "the whole CI misses the limit of at most 30 s (reason for the limit: pods wait for it)"),
        ([*FAST[:93], *SLOW[:7]], "inconclusive", "the CI contains the limit of at most 30 s; more operations"),
        (FAST[:89], "inconclusive", "89 operations give no upper bound of that percentile, 90 do: request more with"),
        (FAST[:90], "pass", "(98% CI 1.79 s to 1.89 s; 90 operations, 20 at the same time)"),
        # Few that are slow suffice for a fail: then even the fewest that it takes are outside.
        (SLOW[:3], "fail", "(98% CI: at least 41 s, no upper bound; 3 operations"),
    ],
)
def test_the_whole_interval_decides(seconds: list[float], status: str, said: str) -> None:
    verdict = judge_operations(record(times(seconds)), BIND)
    assert verdict.status == status and said in verdict.reason
    assert verdict.reason.startswith("p95 until PVC bound on fast<b> is ")
    assert (verdict.low is None) == (", no upper bound" in verdict.reason)
    assert (verdict.profile, verdict.metric, verdict.rule) == ("control-operations", "bind.p95", "at_most")


def test_what_failed_took_for_ever() -> None:
    few, many = (judge_operations(record(times(FAST, failed={"FailedMount": count})), BIND) for count in (1, 30))
    assert (few.status, many.status) == ("inconclusive", "fail")
    assert "; 30 failed: 30 FailedMount." in many.reason and many.measured is None
    assert "more operations (--storage-with operations=N) would decide it; 1 failed" in few.reason


def test_what_was_seen_late_does_not_count() -> None:
    verdict = judge_operations(record(times(FAST, late=3)), BIND)
    assert verdict.status == "pass" and verdict.reason.endswith("; 3 more were observed late and do not count.")


@pytest.mark.parametrize("operations", [(), (times([], late=2),)])
def test_what_nobody_saw_is_not_judged(operations: tuple[()]) -> None:
    for limit in (BIND, NONE_FAILED):
        verdict = judge_operations(record(*operations), limit)
        assert verdict.status == "inconclusive" and "so it cannot be judged" in verdict.reason


def test_one_that_failed_is_a_fail_where_none_may() -> None:
    good, bad = times(FAST), times(FAST, operation="snapshot", failed={"SnapshotContentCreationFailed": 2})
    assert judge_operations(record(good), NONE_FAILED).status == "pass"
    verdict = judge_operations(record(good, bad), NONE_FAILED)
    assert verdict.status == "fail"
    assert verdict.reason == (
        "2 of 202 control operations on fast<b> failed (98% CI 0.074 to 4.1 % of such operations; 20 at the same "
        "time); the whole CI misses the limit of 0 (reason for the limit: somebody has to look); not completed within "
        "5 min: snapshot ready to use: 2 SnapshotContentCreationFailed."
    )


def test_a_share_that_may_fail_is_judged_by_its_interval() -> None:
    for count, status in ((0, "pass"), (5, "inconclusive"), (30, "fail")):
        found = record(times(FAST, failed={"FailedMount": count} if count else {}))
        verdict = judge_operations(found, SHARE)
        assert verdict.status == status
        assert (verdict.measured, verdict.unit, verdict.confidence) == (
            count / (len(FAST) + count),
            "ratio",
            CONFIDENCE,
        )
        assert verdict.low is not None and verdict.high is not None
        assert verdict.low <= count / (len(FAST) + count) <= verdict.high


def test_parts_of_a_start_do_not_count_again() -> None:
    found = record(times(FAST), times(FAST, operation="attach"), times(FAST, operation="mount"))
    assert "0 of 100 control operations" in judge_operations(found, NONE_FAILED).reason


def test_as_many_as_the_strictest_percentile_needs() -> None:
    p99 = of_operations("clone.p99", 10.0, because="x")
    assert [needed_count(each) for each in ([], [NONE_FAILED], [BIND], [BIND, p99])] == [1, 1, 90, 459]


@pytest.mark.parametrize(
    ("seconds", "failed", "code", "more"),
    [
        (FAST, {}, "time_within", {}),
        (SLOW, {}, "time_outside", {}),
        ([*FAST[:93], *SLOW[:7]], {}, "time_on_both_sides", {}),
        (FAST[:89], {}, "too_few", {"low_s": FAST[78], "confidence": CONFIDENCE, "needed": 90}),
        (SLOW[:3], {}, "time_outside", {"low_s": 41.0, "confidence": CONFIDENCE}),
        (FAST[:1], {"FailedMount": 99}, "time_outside", {"low_s": None, "confidence": CONFIDENCE}),
    ],
)
def test_what_a_percentile_is_told_by_is_data(
    seconds: list[float], failed: dict[str, int], code: str, more: dict[str, float]
) -> None:
    verdict = judge_operations(record(times(seconds, failed=failed, late=2)), BIND)
    assert verdict.outcome is not None and verdict.outcome.code == f"operations.{code}"
    count = len(seconds) + sum(failed.values())
    assert verdict.outcome.facts == {"count": count, "at_once": 20, "failed": failed, "late": 2, **more}
    assert ("low_s" in verdict.outcome.facts) == (verdict.high is None)


def test_what_nobody_saw_is_told_by_its_code() -> None:
    told = {limit.path: judge_operations(record(), limit).outcome for limit in (BIND, NONE_FAILED)}
    none_seen = Outcome(code="operations.none_seen")
    assert told == {"bind.p95": Outcome(code="operations.no_time_known"), "failed": none_seen}


def test_what_failed_is_data() -> None:
    for count, lies in ((0, "within"), (5, "on_both_sides"), (30, "outside")):
        verdict = judge_operations(record(times(FAST, failed={"FailedMount": count} if count else {})), SHARE)
        assert verdict.outcome is not None and verdict.outcome.code == f"operations.failures_{lies}"
        assert verdict.outcome.facts == {
            "failed": count,
            "asked": 100 + count,
            "at_once": 20,
            "timeout_s": 300.0,
            "reasons": {"bind": {"FailedMount": count}} if count else {},
        }
