"""What a run finds: complete only at its end, and no pass from a run that broke off."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from acceptance.results.document import Cluster, Image, Results, Status, Verdict
from acceptance.results.recorder import Recorder
from selftests.unit.simulated_shares import Storage, record_of
from selftests.unit.sustained_records import sustained

STARTED = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)


def recorder(*found: Status) -> Recorder:
    made = Recorder(run_id="r", started=STARTED, settings={"tier": "baseline"}, tier_limits=1)
    made.verdicts += [verdict(each) for each in found]
    return made


def verdict(status: Status) -> Verdict:
    return Verdict(
        id=status,
        test="t",
        storage_class="fast",
        profile=None,
        metric=None,
        rule="r",
        limit="l",
        measured=None,
        low=None,
        high=None,
        status=status,
        reason="",
    )


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
    made.sustained.append(sustained([500.0] * 120))
    (record,) = made.results(exit_status=0).sustained
    assert record.rounds == [500.0] * 5


def test_latency_under_load_gets_into_the_results() -> None:
    made = recorder("pass")
    made.under_load.append(record_of(Storage(), limits=()))
    assert made.results(exit_status=0).under_load == made.under_load
