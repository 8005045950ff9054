"""The exit status: storage that failed is told from a lab that broke, and nothing passes that was not judged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.judging.exit_status import MEANING, exit_status
from acceptance.report.exit_status import exit_status_in_words
from acceptance.results.document import Status, Verdict
from acceptance.results.verdicts import PARTIAL_STATUS, PartialAs
from acceptance.settings.run import OpenAs
from selftests.unit.compared_runs import judged, run_of
from selftests.unit.flat_verdicts import flat_verdict

statuses = st.lists(st.sampled_from(["pass", "fail", "inconclusive", "skipped"]), max_size=4)


def verdict(status: Status) -> Verdict:
    return flat_verdict(id=status, status=status)


def status_of(
    *found: Status,
    raised: tuple[int, ...] = (),
    errors: tuple[str, ...] = (),
    interrupted: bool = False,
    in_part: bool = False,
    open_as: OpenAs = "inconclusive",
    partial_as: PartialAs = "partial",
    figures_alone: bool = False,
) -> int:
    return exit_status(
        is_interrupted=interrupted,
        error_statuses=set(raised),
        verdicts=[verdict(each) for each in found],
        errors=errors,
        in_part=in_part,
        open_as=open_as,
        partial_as=partial_as,
        figures_alone=figures_alone,
    )


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (("pass",), 0),
        (("pass", "skipped"), 0),
        (("pass", "inconclusive"), 6),
        (("skipped", "inconclusive"), 6),
        (("fail", "inconclusive"), 1),
        (("pass", "fail"), 1),
        (("skipped",), 5),
        ((), 5),
    ],
)
def test_only_a_pass_of_all_that_was_judged_is_a_success(found: tuple[Status, ...], status: int) -> None:
    assert status_of(*found) == status


@pytest.mark.parametrize(("open_as", "status"), [("inconclusive", 6), ("fail", 1), ("pass", 0)])
def test_what_is_too_close_to_call_ends_the_run_as_it_was_asked(open_as: OpenAs, status: int) -> None:
    assert status_of("pass", "inconclusive", open_as=open_as) == status
    assert status_of("fail", "inconclusive", open_as=open_as) == 1
    assert status_of("pass", "inconclusive", errors=("a leak",), open_as=open_as) == 1
    assert status_of("pass", "inconclusive", raised=(10,), open_as=open_as) == 10


@pytest.mark.parametrize(("partial_as", "status"), [("partial", 7), ("fail", 1), ("pass", 0)])
def test_a_tier_that_was_judged_in_part_ends_the_run_as_it_was_asked(partial_as: PartialAs, status: int) -> None:
    assert status_of("pass", "skipped", in_part=True, partial_as=partial_as) == status
    assert PARTIAL_STATUS[partial_as] == status
    # Whatever is worse is said first, and accepting a part accepts nothing else.
    assert status_of("pass", "inconclusive", in_part=True, partial_as=partial_as) == 6
    assert status_of("pass", "fail", in_part=True, partial_as=partial_as) == 1
    assert status_of("pass", in_part=True, errors=("a leak",), partial_as=partial_as) == 1
    assert status_of("pass", in_part=True, raised=(10,), partial_as=partial_as) == 10
    assert status_of("skipped", in_part=True, partial_as=partial_as) == 5
    assert status_of("pass", in_part=True, interrupted=True, partial_as=partial_as) == 2


def test_figures_are_enough_for_a_run_that_judges_nothing_and_for_nothing_else() -> None:
    for found in ((), ("skipped",)):
        assert (status_of(*found, figures_alone=True), status_of(*found)) == (0, 5)
    assert status_of("skipped", errors=("a leak",), figures_alone=True) == 1
    assert status_of("skipped", raised=(10,), figures_alone=True) == 10
    assert status_of("skipped", interrupted=True, figures_alone=True) == 2
    assert [status_of(each, figures_alone=True) for each in ("fail", "inconclusive", "pass")] == [1, 6, 0]
    assert status_of("pass", in_part=True, figures_alone=True) == 7


def test_what_went_wrong_beside_the_storage_is_no_success() -> None:
    assert status_of("pass", errors=("a leak",)) == 1
    assert status_of("skipped", errors=("a leak",)) == 1


@pytest.mark.parametrize(
    ("raised", "status"), [((10,), 10), ((1,), 1), ((4,), 4), ((10, 1), 1), ((10, 1, 4), 4), ((10, 4), 4)]
)
def test_wrong_usage_is_said_before_failing_storage_and_that_before_a_broken_lab(
    raised: tuple[int, ...], status: int
) -> None:
    assert status_of("pass", raised=raised) == status


def test_storage_that_was_found_to_fail_is_said_even_when_the_lab_broke_afterwards() -> None:
    assert status_of("fail", raised=(10,)) == 1
    assert status_of("inconclusive", raised=(10,)) == 10


@given(
    found=statuses,
    raised=st.sets(st.sampled_from([1, 4, 10])),
    errors=st.lists(st.text(), max_size=1),
    in_part=st.booleans(),
)
def test_an_interruption_comes_before_everything_and_nothing_wrong_is_ever_a_success(
    found: list[Status], raised: set[int], errors: list[str], in_part: bool
) -> None:
    assert status_of(*found, raised=tuple(raised), errors=tuple(errors), interrupted=True) == 2
    status = status_of(*found, raised=tuple(raised), errors=tuple(errors), in_part=in_part)
    clean = set(found) <= {"pass", "skipped"} and "pass" in found and not raised and not errors
    assert (status == 0) == (clean and not in_part)
    assert (status == 7) == (clean and in_part)
    assert status in MEANING
    assert status != 6 or ("inconclusive" in found and "fail" not in found and not raised and not errors)


def test_a_run_that_failed_says_what_happened() -> None:
    """Each test once, whatever its number of verdicts."""
    failed = [judged("fail", test="a"), judged("fail", test="a", metric="cpu.use"), judged("fail", test="b")]
    left = ["a volume is left"]
    open_ = run_of(verdicts=[judged("inconclusive")], settings={"inconclusive": "fail"})
    in_part = run_of(verdicts=[judged()], settings={"partial": "fail"})
    assert exit_status_in_words(run_of(verdicts=failed), 1) == "2 tests failed"
    assert exit_status_in_words(run_of(verdicts=[judged()], errors=left), 1) == "1 error listed above"
    assert exit_status_in_words(run_of(verdicts=failed[:1], errors=left), 1) == "1 test failed, 1 error listed above"
    assert (exit_status_in_words(open_, 1) or "").startswith("1 test inconclusive, which counts as failed")
    assert (exit_status_in_words(in_part, 1) or "").startswith("the tier was judged in part, which counts as failed")
    assert exit_status_in_words(run_of(), 10) == MEANING[10]
    assert exit_status_in_words(run_of(), 3) is None
