"""Judging: which side of the limit, which words, and properties that no change may break."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acceptance.judging.limit import Caution, judge, judge_comparison
from acceptance.judging.outcome import decide, verdict_id
from acceptance.limits.limit import Limit
from acceptance.limits.speed import RuleKind
from acceptance.measuring.figures import estimate
from acceptance.results.document import Estimate, Status, Verdict
from acceptance.results.metrics import Metric
from acceptance.results.verdicts import overall
from acceptance.statistics.intervals import Part
from acceptance.statistics.ratios import Ratio
from selftests.unit.made_limits import made_limit, made_rule

values = st.floats(min_value=1e-3, max_value=1e6)
batch_values = st.lists(st.floats(min_value=1.0, max_value=1e5), min_size=3, max_size=15)
RANK = {"fail": 0, "inconclusive": 1, "pass": 2}


def iops(mean: float, low: float | None, high: float | None) -> Estimate:
    return Estimate(mean=mean, low=low, high=high, unit="1/s", samples=36, confidence=0.99)


def at_least(value: float) -> Limit:
    metric = Metric.parse("write.iops")
    return made_limit(profile="sync-write-iops", metric=metric, at_least=value, because="Commits wait.")


def at_most(value: float) -> Limit:
    metric = Metric.parse("sync.latency.p99")
    return made_limit(profile="etcd-fsync", metric=metric, at_most=value, because="etcd stalls")


def judged(found: Estimate | None, limit: Limit) -> Verdict:
    return judge(found, limit, storage_class="replicated")


def rule(path: str, margin: float = 0.2, kind: RuleKind = "not_better_than_baseline_by") -> Limit:
    metric = Metric.parse(path)
    return made_rule(profile="p", metric=metric, kind=kind, margin=margin, because="not durable")


def compared(
    path: str,
    low: float | None,
    high: float | None,
    *,
    margin: float = 0.2,
    kind: RuleKind = "not_better_than_baseline_by",
    problem: str = "",
    remark: str = "",
) -> Verdict:
    value = None if low is None or high is None else math.sqrt(low * high)
    found = Ratio(value=value, low=low, high=high, samples=9, confidence=0.99, problem=problem)
    return judge_comparison(
        found,
        rule(path, margin, kind),
        storage_class="fast",
        baseline_class="local",
        remark=remark,
    )


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [
        (750, 800, "pass"),
        (749.99, 800, "inconclusive"),
        (700, 750, "inconclusive"),
        (700, 749.99, "fail"),
        (0, 0, "fail"),
    ],
)
def test_a_verdict_needs_the_whole_interval_on_one_side(low: float, high: float, status: Status) -> None:
    assert judged(iops((low + high) / 2, low, high), at_least(750)).status == status


@pytest.mark.parametrize(
    ("low", "high", "status"), [(0.008, 0.01, "pass"), (0.009, 0.011, "inconclusive"), (0.0101, 0.02, "fail")]
)
def test_for_an_upper_limit_low_is_good(low: float, high: float, status: Status) -> None:
    found = Estimate(mean=(low + high) / 2, low=low, high=high, unit="s", samples=36, confidence=0.99)
    assert judged(found, at_most(0.01)).status == status


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            iops(1204, 1150, 1260),
            "write.iops of sync-write-iops on replicated is 1,204 IOPS (99% CI 1,150 IOPS to 1,260 IOPS); "
            "the whole CI meets the limit of at least 750 IOPS.",
        ),
        (
            iops(512.4, 490, 749.98),
            "write.iops of sync-write-iops on replicated is 512.4 IOPS (99% CI 490 IOPS to 749.98 IOPS); "
            "the whole CI misses the limit of at least 750 IOPS (reason for the limit: Commits wait).",
        ),
        (
            iops(749.6, 700, 800),
            "write.iops of sync-write-iops on replicated is 749.6 IOPS (99% CI 700 IOPS to 800 IOPS); the CI "
            "contains the limit of at least 750 IOPS; a quieter machine or a longer measurement would decide it.",
        ),
    ],
)
def test_the_reason_is_one_sentence_with_value_interval_and_limit(found: Estimate, words: str) -> None:
    assert judged(found, at_least(750)).reason == words


def test_a_verdict_carries_what_it_rests_on() -> None:
    verdict = judged(iops(1204, 1150, 1260), at_least(750))
    assert verdict.id == "replicated/sync-write-iops/write.iops/at-least"
    assert (verdict.measured, verdict.low, verdict.high, verdict.unit, verdict.confidence) == (
        1204,
        1150,
        1260,
        "1/s",
        0.99,
    )
    assert (verdict.rule, verdict.limit) == ("at_least", "write.iops at least 750 IOPS")


@pytest.mark.parametrize(
    "found", [None, iops(math.nan, 1, 2), iops(math.inf, 1, 2), iops(900, None, None), iops(900, math.nan, 950)]
)
def test_what_is_missing_or_no_number_is_inconclusive_and_stays_out_of_the_verdict(found: Estimate | None) -> None:
    verdict = judged(found, at_least(750))
    assert verdict.status == "inconclusive"
    assert (verdict.low, verdict.high, verdict.confidence) == (None, None, None)
    assert verdict.measured in (None, 900)
    assert "would decide it" in verdict.reason


def test_a_stall_in_too_short_a_load_is_told_in_one_clean_sentence() -> None:
    stall = Metric.parse("stall.longest")
    limit = made_limit(profile="p", metric=stall, at_most=8.0, because="b")
    found = Estimate(mean=4.0, low=4.0, high=4.0, unit="s", samples=5)
    verdict = judge(found, limit, storage_class="fast", caution=Caution(may_pass=False))
    assert (verdict.status, verdict.reason) == (
        "inconclusive",
        "stall.longest of p on fast is 4 s, but the load was too short to compare it with the limit of at most 8 s; "
        "a longer measurement would decide it.",
    )


def test_judging_in_the_wrong_unit_is_the_callers_error() -> None:
    with pytest.raises(ValueError, match=r"expected write\.iops in 1/s, found s"):
        judged(Estimate(mean=1, low=1, high=1, unit="s", samples=1), at_least(750))
    with pytest.raises(ValueError, match="both or none"):
        decide(1, 2)


@pytest.mark.parametrize(
    ("path", "low", "high", "status"),
    [
        ("write.iops", 0.1, 0.13, "pass"),
        ("write.iops", 1.1, 1.2, "pass"),
        ("write.iops", 1.1, 1.3, "inconclusive"),
        ("write.iops", 1.21, 5.0, "fail"),
        ("write.latency.mean", 5.0, 9.0, "pass"),
        ("write.latency.mean", 0.8, 1.0, "pass"),
        ("write.latency.mean", 0.7, 0.9, "inconclusive"),
        ("write.latency.mean", 0.1, 0.79, "fail"),
    ],
)
def test_a_candidate_certainly_better_than_the_margin_fails(path: str, low: float, high: float, status: Status) -> None:
    verdict = compared(path, low, high)
    assert verdict.status == status
    assert verdict.unit == "ratio"
    assert ("not durable" in verdict.reason) == (status == "fail")


@pytest.mark.parametrize(
    ("path", "low", "high", "status"),
    [
        ("cpu.per_operation", 0.2, 2.0, "pass"),
        ("cpu.per_operation", 1.9, 2.1, "inconclusive"),
        ("cpu.per_operation", 2.1, 9.0, "fail"),
        ("write.latency.mean", 2.1, 9.0, "fail"),
        ("write.latency.mean", 0.1, 0.2, "pass"),
    ],
)
def test_a_candidate_certainly_worse_than_the_margin_fails_the_other_kind(
    path: str, low: float, high: float, status: Status
) -> None:
    verdict = compared(path, low, high, margin=1.0, kind="not_worse_than_baseline_by")
    assert verdict.status == status


def test_rates_are_worse_when_lower() -> None:
    found = [compared("read.iops", *span, kind="not_worse_than_baseline_by").status for span in ((0.8, 3), (0.1, 0.79))]
    assert found == ["pass", "fail"]


def test_the_two_kinds_on_one_metric_are_told_apart() -> None:
    kinds: tuple[RuleKind, ...] = ("not_better_than_baseline_by", "not_worse_than_baseline_by")
    verdicts = [compared("cpu.per_operation", 1.0, 1.0, kind=kind) for kind in kinds]
    assert [verdict.id for verdict in verdicts] == [
        "fast/p/cpu.per-operation/not-better-than-baseline-by",
        "fast/p/cpu.per-operation/not-worse-than-baseline-by",
    ]
    assert [verdict.limit for verdict in verdicts] == [
        "cpu.per_operation at least 0.8x the baseline's",
        "cpu.per_operation at most 1.2x the baseline's",
    ]
    assert [verdict.rule for verdict in verdicts] == list(kinds)


def test_a_remark_is_said_with_a_failure_only() -> None:
    failed, passed = (compared("read.latency.mean", *span, remark="it is small") for span in ((0.1, 0.2), (1.0, 1.1)))
    assert failed.reason.endswith("not durable); it is small.")
    assert "it is small" not in passed.reason


def test_a_comparison_names_both_classes() -> None:
    assert compared("write.iops", 0.1, 0.4).reason == (
        "write.iops of p on fast is 5x slower than on local (99% CI 2.5x to 10x); the whole CI meets the limit "
        "(not faster than local by more than 20 %)."
    )


def test_a_comparison_without_a_ratio_is_inconclusive_and_says_why() -> None:
    verdict = compared("write.iops", None, None, problem="the candidate stalled for 2 whole batches")
    assert verdict.status == "inconclusive"
    assert "cannot be compared with local: the candidate stalled for 2 whole batches" in verdict.reason


# Below the least of them the last digit of a mean decides, of values that are at their limit.
larger = st.just(1.0) | st.floats(1.0 + 1e-9, 1000.0)


@given(batch_values, values, larger)
def test_higher_iops_never_make_a_verdict_worse(found: list[float], limit: float, factor: float) -> None:
    slow, fast = (
        judged(
            estimate([Part(value * by, 1.0) for value in found], unit="1/s", seconds=36, confidence=0.99),
            at_least(limit),
        )
        for by in (1.0, factor)
    )
    assert RANK[fast.status] >= RANK[slow.status]


rules = st.builds(
    rule,
    st.sampled_from(["write.iops", "read.bandwidth", "read.latency.mean", "cpu.per_operation"]),
    st.floats(0.0, 0.99),
    st.sampled_from(["not_better_than_baseline_by", "not_worse_than_baseline_by"]),
)


@given(rules, values, values, st.floats(1.0, 1000.0))
def test_a_better_ratio_never_helps_against_too_good_and_never_harms_against_too_bad(
    asked: Limit, a: float, b: float, factor: float
) -> None:
    low, high = sorted((a, b))
    before, after = (
        RANK[compared(asked.path, low * by, high * by, margin=asked.at["margin"], kind=asked.rule).status]
        for by in (1.0, factor if asked.metric.higher_is_better else 1.0 / factor)
    )
    assert after <= before if asked.rule == "not_better_than_baseline_by" else after >= before


@given(rules, values, values, st.floats(1.0, 10.0))
def test_a_wider_margin_never_makes_a_comparison_worse(asked: Limit, a: float, b: float, factor: float) -> None:
    low, high = sorted((a, b))
    narrow, wide = (
        RANK[compared(asked.path, low, high, margin=margin, kind=asked.rule).status]
        for margin in (asked.at["margin"] / factor, asked.at["margin"])
    )
    assert wide >= narrow


@given(batch_values, values, st.floats(1.0, 1000.0))
def test_a_stricter_limit_never_makes_a_verdict_better(found: list[float], limit: float, factor: float) -> None:
    measured = estimate([Part(value, 1.0) for value in found], unit="1/s", seconds=36, confidence=0.99)
    loose, strict = (judged(measured, at_least(value)) for value in (limit, limit * factor))
    assert RANK[strict.status] <= RANK[loose.status]


@given(values, values, values, st.floats(1.0, 10.0))
def test_a_wider_interval_never_decides_what_a_narrower_left_open(
    a: float, b: float, limit: float, factor: float
) -> None:
    low, high = sorted((a, b))
    narrow, wide = decide(low, high, at_least=limit), decide(low / factor, high * factor, at_least=limit)
    assert wide in (narrow, "inconclusive")


@given(values, values, values)
def test_upper_and_lower_limits_mirror_each_other(a: float, b: float, limit: float) -> None:
    low, high = sorted((a, b))
    assume(limit not in (low, high))
    mirrored = {"pass": "fail", "fail": "pass", "inconclusive": "inconclusive"}
    assert decide(low, high, at_most=limit) == mirrored[decide(low, high, at_least=limit)]


def of_status(status: Status) -> Verdict:
    return judged(iops(1, 1, 1), at_least(750)).model_copy(update={"status": status})


statuses = st.lists(st.sampled_from(["pass", "fail", "inconclusive", "skipped"]), max_size=6)


@pytest.mark.parametrize(
    ("found", "together"),
    [
        ([], "inconclusive"),
        (["skipped"], "inconclusive"),
        (["pass", "skipped"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["pass", "inconclusive", "fail"], "fail"),
    ],
)
def test_overall(found: list[Status], together: str) -> None:
    assert overall((of_status(status) for status in found), in_part=False) == together
    in_part = overall((of_status(status) for status in found), in_part=True)
    assert in_part == ("partial" if together == "pass" else together)


@given(statuses, st.sampled_from(["pass", "fail", "inconclusive", "skipped"]), st.randoms())
def test_overall_does_not_depend_on_order_and_no_further_verdict_turns_a_fail(
    found: list[Status], further: Status, random: object
) -> None:
    verdicts = [of_status(status) for status in found]
    shuffled = verdicts.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for in_part in (False, True):
        assert overall(shuffled, in_part=in_part) == overall(verdicts, in_part=in_part)
        if overall(verdicts, in_part=in_part) == "fail":
            assert overall([*verdicts, of_status(further)], in_part=in_part) == "fail"


@given(st.permutations([500.0, 750.0, 1000.0]))
def test_a_verdict_does_not_depend_on_the_limits_judged_beside_it(order: list[float]) -> None:
    found = {value: judged(iops(800, 740, 860), at_least(value)).status for value in order}
    assert found == {500.0: "pass", 750.0: "inconclusive", 1000.0: "fail"}


def test_ids_are_stable_and_tell_questions_apart() -> None:
    assert (
        verdict_id("/mnt/Disk 1", "p", "write.latency.p99.9", "at_most")
        == "mnt-disk-1-da00b4a5/p/write.latency.p99.9/at-most"
    )
    assert verdict_id("a-b", "c", "m", "r") != verdict_id("a", "b-c", "m", "r")
    assert (
        verdict_id("/mnt/a", "p", "m", "r") != verdict_id("/mnt-a", "p", "m", "r") != verdict_id("mnt-a", "p", "m", "r")
    )
