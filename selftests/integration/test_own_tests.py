"""Tests of a user, outside the repository, with a profile, limits and a chapter of their own: the docs' example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from selftests.integration.suite import SuiteRun, run_suite
from selftests.unit.docs_pages import example_of_own_tests

TITLE = "Order service"


@pytest.fixture
def example(tmp_path: Path) -> list[str]:
    """The words of the example's command, on a class of the embedded cluster; its files are there."""
    _, *words = example_of_own_tests(tmp_path)
    return ["-c", "tox.ini", *(word.replace("=fast", "=local-path") for word in words)]


def with_limit(example: list[str], iops: int) -> None:
    """Have the example ask for so many orders a second."""
    limits = Path(example[2]) / "limits.yaml"
    limits.write_text(limits.read_text().replace("at_least: 900,", f"at_least: {iops},"))


def chapter(run: SuiteRun) -> str:
    """The part of the report under the title that the tests gave, without what is only drawn."""
    page = (run.folder / "latest/report.html").read_text(encoding="utf-8")
    assert f">{TITLE}</a>" in page.partition("<h2>Subjects</h2>")[2]
    (found,) = re.findall(rf'<section id="chapter-1">\s*<h2>{TITLE}</h2>.*?</section>', page, re.DOTALL)
    return found


def test_they_are_planned_run_and_told_of_in_a_chapter_of_their_own(
    example: list[str], clean: Api, reports: Path
) -> None:
    with_limit(example, 1)
    plan = run_suite(*example, "--storage-plan", reports=reports)
    assert plan.status == 0, plan.output
    assert re.search(r"^order-log on local-path +1 .* \d:\d\d ", plan.output, re.MULTILINE), plan.output
    assert re.search(r"^local-path: an order outlives its pod +1 +1 +2 .* \d:\d\d$", plan.output, re.MULTILINE)
    run = run_suite(*example, reports=reports)
    assert run.status == 0, run.output
    orders, outlives = run.verdict("logged_fast_enough"), run.verdict("outlives_its_pod")
    assert (orders["status"], orders["subject"], orders["chapter"]) == ("pass", "speed", TITLE)
    assert (outlives["status"], outlives["subject"], outlives["chapter"]) == ("pass", "provisioning", TITLE)
    told = chapter(run)
    assert "order-log" in told and orders["reason"] in told and outlives["limit"] in told
    assert TITLE in run.output and "Further profiles" not in run.output


@pytest.mark.full
def test_a_limit_that_cannot_be_met_fails_their_test_for_that(
    example: list[str], clean: Api, tmp_path: Path, reports: Path
) -> None:
    with_limit(example, 9000000)
    summary = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    run = run_suite(*example, "-k", "logged", reports=reports, environment=summary)
    assert run.status == 1, run.output
    verdict = run.verdict("logged_fast_enough")
    assert verdict["status"] == "fail"
    assert "9,000,000 IOPS (reason for the limit: on our busiest day there are 900 orders" in verdict["reason"]
    assert "on our busiest day there are 900 orders a second" in chapter(run)
    assert f"| {TITLE} | local-path |" in (tmp_path / "summary.md").read_text(encoding="utf-8")
