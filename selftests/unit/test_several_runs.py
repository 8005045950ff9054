"""One verdict over several runs: all are to pass, of the same question, on the same storage."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from acceptance.report.comparing.together import Together, together
from acceptance.report.side_by_side import render_side_by_side
from acceptance.results.document import Overall, Results
from selftests.unit.compared_runs import NOW, cluster, judged, measured, named, run_of


def night(number: int, overall: Overall = "pass", *, digest: str = "abc", where: str = "one", **more: Any) -> Results:
    run = run_of(
        measured({"write.iops": 1000.0}),
        verdicts=[judged(overall)],
        where=cluster().model_copy(update={"identity": where}),
        texts={},
        run_id=f"night-{number}",
        started=NOW + timedelta(days=number),
        **more,
    )
    assert run.tested_with is not None
    conditions = run.tested_with.model_copy(update={"limits_digest": digest})
    return run.model_copy(update={"overall": overall, "tested_with": conditions})


@pytest.mark.parametrize(
    ("overall", "status", "told"),
    [
        (("pass", "pass", "pass"), "pass", "3 pass."),
        (("pass", "fail", "pass"), "fail", "1 fail, 2 pass. All runs must pass; none may be left out."),
        (("pass", "inconclusive", "pass"), "inconclusive", "1 inconclusive, 2 pass. All runs must pass"),
        (("fail", "inconclusive", "pass"), "fail", "1 fail, 1 inconclusive, 1 pass."),
    ],
)
def test_all_are_to_pass(overall: tuple[Overall, ...], status: Overall, told: str) -> None:
    found = together([night(number, each) for number, each in enumerate(overall)])
    assert found is not None and found.status == status
    assert found.sentence.startswith("fast, tier baseline, 3 runs from 2026-11-21 to 2026-11-23: ")
    assert told in found.sentence


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (night(2, digest="def"), "the runs differ in the limits, or the limits of a run are not known"),
        (night(2, settings={"test_size": 1}), "the runs differ in the setting test_size"),
        (night(2, settings={"access_mode": "ReadWriteMany"}), "the runs differ in the setting access_mode"),
        (night(2, settings={"tier": "production"}), "the runs differ in the tier"),
        (night(1), "one run is given twice"),
    ],
)
def test_runs_that_were_asked_another_thing_have_no_common_verdict(other: Results, why: str) -> None:
    found = together([night(1), other])
    assert found == Together(status=None, sentence=f"No verdict over all runs: {why}.")


def test_limits_that_nobody_knows_make_none() -> None:
    found = together([night(1, digest=""), night(2, digest="")])
    assert found is not None and found.status is None


def test_other_storage_or_another_cluster_is_another_matter() -> None:
    assert together([night(1)]) is None
    assert together([night(1), night(2, where="two")]) is None
    assert together([night(1, where=""), night(2, where="")]) is None
    assert together([run_of(run_id="a"), run_of(run_id="b")]) is None


def test_it_stands_above_the_runs() -> None:
    html = render_side_by_side([named(night(1)), named(night(2, "fail"), "another")])
    assert html.index("1 fail, 1 pass.") < html.index("<h2>The runs</h2>")
    assert "verdict-fail" in html
    assert "over all runs" not in render_side_by_side([named(night(1)), named(night(2, where="two"), "another")])
