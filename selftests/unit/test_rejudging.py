"""Whether results agree with themselves: what was changed by hand, in one place only, is found."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.judging.outcome import plain_outcome, without_figures
from acceptance.judging.rejudging import contradictions
from acceptance.results.document import Results, Status, Verdict
from selftests.unit.compared_runs import judged, measured, run_of


def run(*verdicts: Verdict, **changes: Any) -> Results:
    found = run_of(measured({"write.iops": 1000.0, "write.latency.p99": 0.0112}), verdicts=verdicts)
    return found.model_copy(update=changes)


def latency(status: Status = "pass", **more: Any) -> Verdict:
    """An upper limit, shown rounded."""
    limit = {"limit": "write.latency.p99 at most 12.35 ms", "rule": "at_most", "unit": "s", "measured": 0.0112}
    return judged(status, metric="write.latency.p99", **(limit | {"low": 0.011, "high": 0.0115} | more))


def test_what_a_run_wrote_agrees() -> None:
    assert list(contradictions(run(judged(), latency()))) == []
    compared = judged(
        rule="not_better_than_baseline_by", limit="write.iops at most 1.2x the baseline's", unit="ratio",
        measured=0.5, low=0.4, high=0.6,
    )  # fmt: skip
    assert list(contradictions(run(compared))) == []


@pytest.mark.parametrize(
    "verdict",
    [
        judged("pass", low=700.0),
        judged("pass", low=500.0, high=700.0),
        judged("fail"),
        judged("inconclusive"),
        judged("pass", low=None, high=None),
        latency(high=0.0130),
        latency(limit="write.latency.p99 at most 10 parsecs"),
    ],
)
def test_a_status_that_does_not_follow_is_named(verdict: Verdict) -> None:
    overall = "fail" if verdict.status == "fail" else "inconclusive" if verdict.status != "pass" else "pass"
    (found,) = contradictions(run(verdict, overall=overall))
    assert found == f"verdict {verdict.id} is {verdict.status}, which does not follow from its interval and limit"


@pytest.mark.parametrize(
    "verdict",
    [
        judged("skipped", low=500.0, high=700.0),
        judged("skipped", low=None, high=None),
        judged("skipped", measured=None, low=None, high=None),
        judged("skipped", measured=None, low=None, high=None, unit=None, confidence=None),
        # No measurement has it, and no interval decides it.
        judged("skipped", profile="scratch", metric="volume", rule="bind_time", low=None, high=None),
    ],
)
def test_a_failure_that_was_turned_to_skipped_is_named(verdict: Verdict) -> None:
    (found,) = contradictions(run(judged(metric="read.iops"), verdict))
    assert found == f"verdict {verdict.id} is skipped, but has a judged value"


def test_how_a_limit_was_rounded_is_held_against_nobody() -> None:
    """What is shown as 12.35 ms may have been 12.346 ms or 12.354 ms."""
    assert list(contradictions(run(latency("inconclusive", high=0.012347), overall="inconclusive"))) == []
    assert list(contradictions(run(latency("pass", high=0.012353)))) == []


def test_a_value_that_is_not_that_of_the_measurement_is_named() -> None:
    (found,) = contradictions(run(judged(measured=1001.0)))
    assert found.endswith("/write.iops/at-least has a value that differs from its measurement")


@pytest.mark.parametrize(
    ("verdicts", "changes", "agrees"),
    [
        ([judged()], {"overall": "fail"}, False),
        ([judged("fail", low=1.0, high=2.0)], {"overall": "pass"}, False),
        ([judged()], {"overall": "pass", "errors": ["a leak"]}, False),
        ([judged()], {"overall": "inconclusive", "errors": ["a leak"]}, True),
        ([], {"overall": "inconclusive"}, True),
        ([], {"overall": "pass"}, False),
    ],
)
def test_the_whole_follows_from_its_parts(verdicts: list[Verdict], changes: dict[str, Any], agrees: bool) -> None:
    found = list(contradictions(run(*verdicts, **changes)))
    assert found == [] if agrees else found[-1].startswith(f"overall is {changes['overall']}, which does not follow")


def test_what_is_not_judged_by_an_interval_is_left_alone() -> None:
    functional = judged(rule="Data survives.", metric=None, profile=None, limit="Data survives.", low=None, high=None)
    many = judged(profile="control-plane", metric="pods", limit="pods at least 60 pods", unit="pods", low=None)
    # A test of a limit that was skipped: its rule is what the test is about, in words.
    skipped = judged("skipped", rule="The measured value meets the limit.", measured=None, low=None, high=None)
    assert list(contradictions(run(functional, many, skipped))) == []


@pytest.mark.parametrize("rule", ["at_least", "not_better_than_baseline_by"])
def test_a_skipped_test_of_a_limit_is_left_alone(rule: str) -> None:
    """Its rule is the limit's kind, and nothing was held against the limit."""
    skipped = without_figures(
        f"fast/sync-write-iops/write.iops/{rule}", storage_class="fast", status="skipped", limit="write.iops: enough",
        rule=rule, profile="sync-write-iops", metric="write.iops", finding=plain_outcome("no baseline"),
    )  # fmt: skip
    assert list(contradictions(run(judged(), skipped))) == []
