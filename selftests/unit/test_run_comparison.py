"""What changed between two runs: which values are compared, how sure that is, and what was not the same."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.report.comparing.differences import HISTOGRAM_BIN, compare_runs, differences
from acceptance.report.comparing.model import Change, Difference, RunComparison
from acceptance.report.comparing.naming import describe, name_runs
from acceptance.report.comparing.ratios import finding_of, quotient
from acceptance.results.document import Estimate, Measurement, RelativeEstimate, Results
from acceptance.results.history_file import History
from acceptance.text.errors import WrongUsage
from selftests.unit.compared_runs import NOW, class_of, cluster, estimate, judged, measured, named, run_of

NO_RUNS = History(path=Path())
FACTORS = st.floats(min_value=1.0, max_value=50.0)
MEANS = st.floats(min_value=1e-6, max_value=1e9)


def change(ratio: float, by: float) -> Change:
    return Change(ratio=ratio, low=ratio / by, high=ratio * by, confidence=0.95)


def only(first: Results, second: Results, *, absolute: bool = False) -> Difference:
    (found,) = differences(first, second, ("fast", "fast"), absolute=absolute)
    return found


def compared(first: Results, second: Results, classes: tuple[str, str] | None = None) -> RunComparison:
    return compare_runs(named(first, "one"), named(second, "other"), classes=classes, history=NO_RUNS)


def test_the_interval_of_a_quotient_by_hand() -> None:
    # 1,000 and 800, each known to a factor of 1.1, whose logarithm is 0.0953: together that is 0.1348.
    found = quotient(change(800, 1.1), change(1000, 1.1))
    assert (found.ratio, found.low, found.high) == pytest.approx((0.8, 0.8 * 0.8739, 0.8 * 1.1443), rel=1e-4)
    # What reaches further to one side does so in the quotient too: to the other side, where it is divided by.
    lopsided = Change(ratio=1.0, low=1.0, high=2.0, confidence=0.95)
    assert (quotient(lopsided, change(1, 1)).low, quotient(change(1, 1), lopsided).high) == pytest.approx((1.0, 1.0))
    assert (quotient(lopsided, change(1, 1)).high, quotient(change(1, 1), lopsided).low) == pytest.approx((2.0, 0.5))


def test_intervals_of_different_confidence_are_not_mixed() -> None:
    with pytest.raises(ValueError, match=r"expected intervals of one confidence, found 0.99 and 0.95"):
        quotient(change(1, 2), Change(ratio=1, low=0.5, high=2, confidence=0.99))
    found = only(
        run_of(measured({"write.iops": 9.0})), run_of(measured({"write.iops": estimate(9.0, confidence=0.99)}))
    )
    assert (found.change, found.finding, found.why_not) == (None, "not known", "the CIs cannot be compared")


@given(MEANS, MEANS, FACTORS, FACTORS)
def test_comparing_the_other_way_round_is_the_inverse(first: float, second: float, by: float, other_by: float) -> None:
    a, b = (run_of(measured({"write.iops": estimate(mean, by=by)})) for mean, by in ((first, by), (second, other_by)))
    there, back = only(a, b), only(b, a)
    assert there.change is not None and back.change is not None
    assert (there.change.ratio, there.change.low, there.change.high) == pytest.approx(
        (1 / back.change.ratio, 1 / back.change.high, 1 / back.change.low)
    )
    opposite = {"better": "worse", "worse": "better"}
    assert opposite.get(there.finding, there.finding) == back.finding


@given(MEANS, FACTORS)
def test_a_run_differs_from_itself_by_nothing(mean: float, by: float) -> None:
    run = run_of(measured({"write.iops": estimate(mean, by=by)}))
    found = only(run, run)
    assert found.change is not None and found.change.ratio == 1.0
    assert found.finding == "within noise"


@pytest.mark.parametrize(
    ("metric", "ratio", "by", "finding"),
    [
        ("write.iops", 1.2, 1.1, "better"),
        ("write.iops", 0.8, 1.1, "worse"),
        ("read.bandwidth", 1.2, 1.1, "better"),
        ("write.latency.mean", 1.2, 1.1, "worse"),
        ("write.latency.p99", 0.8, 1.1, "better"),
        ("cpu.per_operation", 0.8, 1.1, "better"),
        ("write.iops", 1.05, 1.1, "within noise"),
        ("write.iops", 1.5, 1.5, "within noise"),
    ],
)
def test_better_is_more_of_rates_and_less_of_all_else(metric: str, ratio: float, by: float, finding: str) -> None:
    assert finding_of(change(ratio, by), metric=metric) == finding


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (estimate(0.0), estimate(9.0), "one of the values is zero"),
        (estimate(9.0, by=None), estimate(9.0), "one of the loads was too short for a confidence interval"),
        (estimate(9.0), Estimate(mean=9, low=0, high=99, unit="1/s", samples=4), "the CIs cannot be compared"),
    ],
)
def test_what_cannot_be_known_is_said_and_why(first: Estimate, second: Estimate, why: str) -> None:
    found = only(run_of(measured({"write.iops": first})), run_of(measured({"write.iops": second})))
    assert (found.change, found.finding, found.why_not) == (None, "not known", why)


def test_the_longest_stall_is_an_event_and_is_not_compared() -> None:
    run = run_of(measured({"write.iops": 9.0, "stall.longest": 2.0}))
    assert only(run, run).metric == "write.iops"


def test_percentiles_that_differ_by_a_bin_of_the_histogram_are_within_noise() -> None:
    def at(mean: float) -> Results:
        return run_of(measured({"write.latency.p99": estimate(mean, by=1.0, path="write.latency.p99")}))

    assert only(at(0.064), at(0.064 * (1 + HISTOGRAM_BIN))).finding == "within noise"
    assert only(at(0.064), at(0.064 * (1 + 2.1 * HISTOGRAM_BIN))).finding == "worse"


def beside(
    candidate: float, baseline: float, *, nodes: tuple[str, ...] = ("node-1",), by: str = "local", paired: bool = True
) -> Results:
    """A run that measured in turn with a baseline, on a machine of these nodes."""
    ratio = candidate / baseline
    against = RelativeEstimate(ratio=ratio, low=ratio / 1.02, high=ratio * 1.02, confidence=0.95)
    ours = measured({"write.iops": candidate}, beside=by, against={"write.iops": against} if paired else {})
    theirs = measured({"write.iops": baseline}, storage_class=by, role="baseline")
    return run_of(ours, theirs, where=cluster(nodes=nodes))


def test_with_a_baseline_the_multiples_of_it_are_compared_and_the_machine_cancels_out() -> None:
    """The machine was half as fast the second time, so the class seems so; beside its neighbour it is as it was."""
    first, second = beside(1000, 4000), beside(500, 2000)
    found = only(first, second)
    assert (found.finding, found.baseline, found.multiples) == ("within noise", "local", (0.25, 0.25))
    assert found.change is not None and found.change.high == pytest.approx(math.exp(math.hypot(*[math.log(1.02)] * 2)))
    assert (found.first.mean, found.second.mean) == (1000, 500)
    alone = only(first, second, absolute=True)
    assert (alone.finding, alone.baseline, alone.multiples) == ("worse", None, None)


def test_results_of_older_suites_have_no_pairs_and_their_two_intervals_are_taken_for_independent() -> None:
    found = only(beside(1000, 4000, paired=False), beside(500, 2000, paired=False))
    assert found.multiples == (0.25, 0.25)
    assert found.change is not None and found.change.high == pytest.approx(math.exp(2 * math.log(1.1)))


@pytest.mark.parametrize(
    "second",
    [
        beside(500, 2000, by="other"),
        beside(500, 2000, nodes=("node-1", "node-2")),
        run_of(measured({"write.iops": 500.0})),
    ],
    ids=("another class", "another cluster", "none"),
)
def test_without_the_same_baseline_the_values_themselves_are_compared(second: Results) -> None:
    found = only(beside(1000, 4000), second)
    assert (found.finding, found.baseline) == ("worse", None)


def both(*profiles: str, storage_class: str = "fast") -> list[Measurement]:
    return [measured({"write.iops": 9.0}, profile=name, storage_class=storage_class) for name in profiles]


def test_what_only_one_of_them_has_is_named() -> None:
    found = compared(run_of(*both("a", "b")), run_of(*both("c", "b")))
    (pair,) = found.classes
    assert [difference.profile for difference in pair.differences] == ["b"]
    assert pair.missing == ["a: only in the first", "c: only in the second"]


def test_classes_of_one_name_belong_together_and_others_are_named() -> None:
    first = run_of(*both("a"), *both("a", storage_class="slow"))
    second = run_of(*both("a"), *both("a", storage_class="new"))
    found = compared(first, second)
    assert [(pair.first_class, pair.second_class) for pair in found.classes] == [("fast", "fast")]
    assert found.missing == ["slow: only in one", "new: only in other"]


def test_the_only_classes_of_two_vendors_are_compared_whatever_they_are_called() -> None:
    found = compared(run_of(*both("a")), run_of(*both("a", storage_class="new")))
    assert [(pair.first_class, pair.second_class) for pair in found.classes] == [("fast", "new")]
    assert [each.name for each in found.classes[0].unlike] == ["StorageClass"]
    assert found.missing == []


def test_classes_can_be_named_also_those_of_one_run() -> None:
    run = run_of(*both("a", storage_class="three"), *both("a", storage_class="two"))
    (pair,) = compared(run, run, ("three", "two")).classes
    assert (pair.first_class, pair.second_class, len(pair.differences)) == ("three", "two", 1)


@pytest.mark.parametrize("classes", [None, ("fast", "none"), ("none", "new")])
def test_nothing_to_compare_is_wrong_usage(classes: tuple[str, str] | None) -> None:
    first = run_of(*both("a"), *both("a", storage_class="slow"))
    second = run_of(*both("a", storage_class="new"))
    with pytest.raises(
        WrongUsage, match=r"measurements of fast, slow in one and of new in other; name one of each with"
    ):
        compared(first, second, classes)
    with pytest.raises(WrongUsage, match="of no class in other"):
        compared(first, run_of())


def test_what_was_not_the_same_is_named_and_first_what_disturbs() -> None:
    first = run_of(*both("a"), where=cluster(class_of(replicas="3")), texts={"a.fio": "bs=4k", "z.fio": "1"})
    second = run_of(
        *both("a"),
        settings={"test_size": 4 << 30, "tier": "production", "access_mode": "ReadWriteMany"},
        where=cluster(class_of(replicas="2", locality="strict"), nodes=("node-1", "node-2")),
        texts={"a.fio": "bs=8k", "z.fio": "2"},
    )
    found = compared(first, second)
    assert [(each.name, *each.values, each.disturbs) for each in found.unlike] == [
        ("test file", "1Gi", "4Gi", True),
        ("access mode", "ReadWriteOnce", "ReadWriteMany", True),
        ("number of nodes", "1", "2", True),
        ("load file a", "55a436c1a3cb", "f188353216b7", True),
        ("tier", "baseline", "production", False),
    ]
    assert [(each.name, *each.values) for each in found.classes[0].unlike] == [
        ("parameter replicas", "3", "2"),
        ("parameter locality", "not recorded", "strict"),
    ]


def test_other_comments_in_a_shipped_profile_are_no_other_load() -> None:
    shipped = (Path(__file__).parents[2] / "profiles" / "etcd-fsync.fio").read_text(encoding="utf-8")
    options = "".join(shipped.partition("[global]")[1:])
    first, second = (run_of(*both("a"), texts={"a.fio": text}) for text in (shipped, f"# Another comment.\n{options}"))
    assert [each.name for each in compared(first, second).unlike] == []


def test_a_run_that_was_interrupted_is_told_from_one_that_was_not() -> None:
    whole = run_of(measured({"write.iops": 9.0}), verdicts=[judged()], tests=["t"])
    cut = run_of(measured({"write.iops": 9.0}), verdicts=[judged()], tests=["t", "never reached"])
    assert [(each.name, *each.values, each.disturbs) for each in compared(whole, cut).unlike] == [
        ("complete run", "yes", "no", True)
    ]
    assert not describe(whole).endswith(", not complete") and describe(cut).endswith(", not complete")


def test_runs_are_called_by_what_tells_them_apart() -> None:
    other = run_of(run_id="r2")
    assert [name_run.name for name_run in name_runs([run_of(), other])] == [
        "2026-11-21 07:15 r1",
        "2026-11-21 07:15 r2",
    ]
    later = run_of(started=NOW.replace(hour=9))
    assert [name_run.name for name_run in name_runs([run_of(), later])] == ["2026-11-21 07:15", "2026-11-21 09:15"]
    twice = [name_run.name for name_run in name_runs([later, later])]
    assert twice == ["2026-11-21 09:15 r1 (1)", "2026-11-21 09:15 r1 (2)"]
