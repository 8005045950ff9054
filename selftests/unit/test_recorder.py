"""What a run finds: complete only at its end, and no pass from a run that broke off."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from acceptance.judging.rejudging import contradictions
from acceptance.results.clusters import Cluster, Image
from acceptance.results.completeness import missing
from acceptance.results.conditions import Conditions, TierLimit
from acceptance.results.document import Results, Status, Verdict
from acceptance.results.recorder import Recorder
from acceptance.results.requirement import Requirement
from acceptance.results.under_load import UnderLoadRecord
from acceptance.text.redaction import remember
from selftests.unit.drawn import measurement
from selftests.unit.flat_verdicts import flat_verdict
from selftests.unit.simulated_shares import Storage, record_of
from selftests.unit.sustained_records import sustained

STARTED = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)


def recorder(*found: Status, partial_as: str = "partial") -> Recorder:
    settings = {"tier": "baseline", "partial": partial_as}
    made = Recorder(run_id="r", started_at=STARTED, settings=settings, tier_limits=0)
    made.keep(*map(verdict, found))
    return made


def verdict(status: Status) -> Verdict:
    return flat_verdict(id=status, status=status)


def test_results_of_a_run_that_goes_on_are_not_complete() -> None:
    run = recorder("pass").results().run
    assert (run.complete, run.finished, run.exit_status, run.started) == (False, None, None, STARTED)


def test_results_are_complete_once_the_exit_status_is_known() -> None:
    run = recorder("pass").results(exit_status=0).run
    assert (run.complete, run.exit_status) == (True, 0)
    assert run.finished is not None and run.finished.tzinfo is UTC and run.finished > STARTED


@pytest.mark.parametrize(
    ("found", "exit_status", "errors", "overall"),
    [
        (("pass",), 0, [], "pass"),
        (("pass",), None, [], "inconclusive"),
        (("pass",), 1, ["a leak"], "inconclusive"),
        (("pass",), 2, [], "inconclusive"),
        (("pass",), 10, [], "inconclusive"),
        (("pass", "fail"), None, ["a leak"], "fail"),
        ((), 5, [], "inconclusive"),
    ],
)
def test_a_run_that_broke_off_or_left_something_behind_does_not_pass(
    found: tuple[Status, ...], exit_status: int | None, errors: list[str], overall: str
) -> None:
    made = recorder(*found)
    made.errors += errors
    assert made.results(exit_status=exit_status).overall == overall


def of_tier(*limits: str, required: tuple[str, ...] = (), **more: Any) -> Recorder:
    """A run that judged the limit `l` of a tier with these limits."""
    made = recorder("pass", **more)
    made.tested_with = Conditions(
        profiles={},
        limits_file="",
        limits=[TierLimit(profile="p", limit=limit) for limit in limits],
        required=list(required),
    )
    made.verdicts[:] = [flat_verdict(profile="p")]
    return made


@pytest.mark.parametrize(
    ("partial_as", "exit_status", "overall"),
    [
        ("partial", 7, "partial"),
        ("pass", 0, "partial"),
        ("fail", 1, "partial"),
        ("partial", None, "inconclusive"),
        ("partial", 2, "inconclusive"),
        ("partial", 10, "inconclusive"),
    ],
)
def test_a_tier_that_was_judged_in_part_does_not_pass(partial_as: str, exit_status: int | None, overall: str) -> None:
    found = of_tier("l", "other", partial_as=partial_as).results(exit_status=exit_status)
    assert (found.overall, found.tier_limits_judged, found.tier_limits_applying) == (overall, 1, 2)
    assert list(contradictions(found)) == []


def test_a_tier_with_a_test_that_it_requires_and_that_did_not_pass_was_judged_in_part() -> None:
    assert of_tier("l").results(exit_status=0).overall == "pass"
    found = of_tier("l", required=("tests/test_durability.py",)).results(exit_status=7)
    assert (found.overall, found.tier_limits_judged, found.tier_limits_applying) == ("partial", 1, 1)


@pytest.mark.parametrize(("applies", "overall"), [(False, "pass"), (True, "partial")])
def test_only_a_limit_that_applies_can_be_left_out(applies: bool, overall: str) -> None:
    made = of_tier("l", "snapshots")
    made.verdicts.append(flat_verdict(status="skipped", profile="p", limit="snapshots", applies=applies))
    found = made.results(exit_status=0 if overall == "pass" else 7)
    assert (found.overall, found.tier_limits_judged, found.tier_limits_applying) == (overall, 1, 1 + applies)


@pytest.mark.parametrize("words", [("total", "each of 51"), ("alike", "alike")])
def test_a_limit_is_known_by_what_it_asks_whatever_it_is_called(words: tuple[str, str]) -> None:
    few, many = (
        Requirement(rule="per_volume", profile="p", metric="write.iops", at={"pods": pods}) for pods in (15, 51)
    )
    bounds = {"operator": "at_least", "bound": 350.0, "unit": "1/s"}
    made = of_tier()
    made.tested_with = Conditions(
        profiles={},
        limits_file="",
        limits=[
            TierLimit(profile="p", limit=each, requirement=asked.model_copy(update=bounds))
            for each, asked in zip(words, (few, many), strict=True)
        ],
    )
    verdicts = (
        flat_verdict(profile="p", limit="so"),
        flat_verdict(profile="p", limit="so", status="skipped", applies=False),
    )
    made.verdicts[:] = [
        each.model_copy(update={"requirement": of}) for each, of in zip(verdicts, (few, many), strict=True)
    ]
    found = missing(made.results())
    assert (found.limit_count, found.judged_count, found.limits, found.not_applicable) == (2, 1, [], [f"p: {words[1]}"])


def test_only_a_run_that_reached_all_its_tests_is_complete() -> None:
    made = recorder("pass")
    made.tests = ["t", "another"]
    assert made.results(exit_status=2).run.complete is False
    made.tests = ["t"]
    assert made.results().run.complete is False
    assert made.results(exit_status=0).run.complete is True


def test_the_digest_of_the_image_is_kept_once_it_is_known() -> None:
    made = recorder()
    made.note_image("sha256:1")  # before the cluster was looked at: nothing to keep it with
    image = Image(reference="fio:1", digest=None)
    made.cluster = Cluster(kind="kind", kubernetes_version="v1", nodes=[], storage_classes=[], image=image)
    made.note_image("sha256:2")
    made.note_image(None)
    assert made.results().cluster == made.cluster
    assert made.cluster.image == Image(reference="fio:1", digest="sha256:2")


def test_later_findings_do_not_change_results_that_were_handed_out() -> None:
    made = recorder("pass")
    before = made.results()
    made.verdicts.append(verdict("fail"))
    made.errors.append("a leak")
    assert [each.status for each in before.verdicts] == ["pass"]
    assert before.errors == []


def test_results_are_the_same_after_being_written_and_read() -> None:
    results = recorder("pass", "skipped").results(exit_status=0)
    assert Results.model_validate_json(results.model_dump_json()) == results


def test_a_sustained_load_gets_into_the_results() -> None:
    made = recorder("pass")
    made.keep(sustained([500.0] * 120))
    (record,) = made.results(exit_status=0).sustained
    assert record.rounds == [500.0] * 5


def test_latency_under_load_gets_into_the_results() -> None:
    made = recorder("pass")
    made.keep(record_of(Storage(), limits=()))
    assert made.results(exit_status=0).under_load == made.of(UnderLoadRecord)


def test_a_measurement_that_goes_on_replaces_what_was_kept_of_it() -> None:
    made = recorder()
    for iops in (100.0, 200.0):
        made.keep_measurement(measurement([iops], name="fast"))
        made.keep_measurement(measurement([1.0], name="slow"))
        fast, slow = made.results().measurements
        assert (fast.metrics["write.iops"].mean, slow.storage_class) == (iops, "slow")


def put_in_place(made: Recorder, record: UnderLoadRecord) -> None:
    made.of(UnderLoadRecord)[0] = record


CHANGES: dict[str, Callable[[Recorder], object]] = {
    "a verdict": lambda made: made.verdicts.append(verdict("fail")),
    "a verdict that changes": lambda made: made.judge_again(made.verdicts[0], verdict("inconclusive")),
    "an error": lambda made: made.errors.append("a leak"),
    "a warning": lambda made: made.warn("the clock", "it was set"),
    "a warning that changes": lambda made: made.warn("the disk", "it is full"),
    "a test": lambda made: made.tests.append("t"),
    "a count": lambda made: setattr(made, "deselected_count", 2),
    "the command": lambda made: setattr(made, "command", "run"),
    "a record": lambda made: made.keep(sustained([500.0] * 120)),
    "a record in the place of another": lambda made: put_in_place(made, record_of(Storage(), limits=())),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_document_is_made_again_only_after_something_else_was_found(change: str) -> None:
    made = recorder("pass", partial_as="pass")
    made.warn("the disk", "it is slow")
    made.keep(record_of(Storage(), limits=()))
    before = made.results()
    assert made.results() is before
    CHANGES[change](made)
    after = made.results()
    assert after is not before
    assert made.results() is after
    assert change == "a record in the place of another" or after != before


def test_all_files_of_a_run_that_ended_say_the_same_end() -> None:
    made = recorder("pass")
    running = made.results()
    ended = made.results(exit_status=0)
    assert made.results(exit_status=0) is ended and ended != running
    assert made.results().run.exit_status is None


def test_a_credential_that_became_known_is_not_in_the_next_document() -> None:
    made = recorder()
    made.errors.append("refused: XYZ-of-the-recorder")
    assert made.results().errors == ["refused: XYZ-of-the-recorder"]
    remember("XYZ-of-the-recorder")
    assert made.results().errors == ["refused: (not shown)"]
