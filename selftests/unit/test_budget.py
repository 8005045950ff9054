"""The time budget: tests without room are left out, and the verdict shows that."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.limits.shipped import digest_of
from acceptance.planning.budget import Budget, beyond_budget, budget_in_words
from acceptance.planning.records import Plan, PlannedStep
from acceptance.results.completeness import missing
from acceptance.results.document import Results
from acceptance.results.verdicts import PartialAs, end_of_partial
from selftests.unit.test_judged_in_part import ended


def step(about_s: float, *tests: str, together: str = "") -> PlannedStep:
    return PlannedStep(description="a step", about_s=about_s, required_by=tests, together=together)


PLAN = Plan(steps=(step(10, "a"), step(40, "b", "c"), step(5, "d"), step(20, "e")))


def left_out(plan: Plan, budget_s: float) -> list[str]:
    return list(beyond_budget(plan, "abcde", budget_s=budget_s, open_s=2, close_s=3))


@pytest.mark.parametrize(
    ("budget_s", "expected"),
    [(80, []), (79, ["e"]), (59, ["d", "e"]), (54, ["b", "c"]), (15, ["b", "c", "d", "e"]), (14, ["a", "b", "c", "e"])],
)
def test_the_first_tests_have_priority_and_shorter_ones_fill_the_rest(budget_s: float, expected: list[str]) -> None:
    assert left_out(PLAN, budget_s) == expected


def test_a_step_that_tests_share_is_counted_once() -> None:
    budget = Budget(PLAN, budget_s=60, close_s=0)
    budget.begin("b")
    assert (budget.seconds("c"), budget.seconds("e")) == (0, 20)
    assert budget.has_room("c", elapsed_s=1000), "the evidence exists"
    assert not budget.has_room("own", elapsed_s=1000), "its time is unknown"


def test_steps_that_are_done_together_have_room_together() -> None:
    """The first test of them does all."""
    plan = Plan(steps=(step(10, "a", together="loads"), step(40, "b", together="loads")))
    assert list(beyond_budget(plan, "ab", budget_s=49, open_s=0, close_s=0)) == ["a", "b"]
    assert list(beyond_budget(plan, "ab", budget_s=50, open_s=0, close_s=0)) == []


def test_times_of_the_run_correct_the_plan() -> None:
    budget = Budget(PLAN, budget_s=100, close_s=0)
    assert budget.has_room("b", elapsed_s=20, ratio=2.0)
    assert not budget.has_room("b", elapsed_s=20, ratio=2.1)


def test_a_partial_pass_does_not_cover_what_time_left_out() -> None:
    ends: tuple[PartialAs, ...] = ("pass", "partial", "fail")
    assert [end_of_partial(end, left_out=["t"]) for end in ends] == ["partial", "partial", "fail"]
    assert [end_of_partial(end, left_out=[]) for end in ends] == ["pass", "partial", "fail"]


def test_budgets_are_in_words() -> None:
    assert [budget_in_words(seconds) for seconds in (1800, 7200)] == ["30 min", "2 h"]


PRESET = """\
about: mine
budget: 10min
tests: [{file: tests/test_provisioning.py}]
options: {partial: pass}
"""
LONG = """\
import pytest

@pytest.mark.planned(seconds=3600)
def test_long(storage_class):
    "The class holds for an hour."
"""


def test_a_run_leaves_out_what_has_no_room_and_all_files_say_so(tmp_path: Path) -> None:
    """On a directory. The digest of the preset is that of its file."""
    (tmp_path / "mine.yaml").write_text(PRESET, encoding="utf-8")
    (tmp_path / "test_long.py").write_text(LONG, encoding="utf-8")
    run = ended(tmp_path, "test_long.py", "-k", "holds or long", "--storage-preset=mine.yaml")
    results = Results.model_validate(run.results)
    assert (run.status, results.overall) == (7, "partial")
    assert [test.partition("[")[0] for test in results.run.left_out] == ["test_long.py::test_long"]
    assert missing(results).in_part and results.settings["budget"] == 600.0 and results.settings["partial"] == "pass"
    statuses = {verdict.test.partition("[")[0]: verdict for verdict in results.verdicts}
    assert statuses["test_own.py::test_it_holds"].status == "pass"
    assert statuses["test_long.py::test_long"].reason == "left out: the time budget of 10 min has no room for it"
    preset = results.tested_with.preset if results.tested_with else None
    assert preset is not None and (preset.name, preset.digest) == ("mine", digest_of(PRESET))
    assert (run.properties["preset"], run.properties["preset_digest"]) == ("mine", preset.digest)
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    assert "1 test left out for time" in page and f"mine (sha256 {preset.digest[:12]})" in page
    assert results.run.command is not None and results.run.command.count("--storage-") == 4  # the user's own options


def test_a_run_with_room_for_all_ends_as_the_preset_says(tmp_path: Path) -> None:
    """Its tier has a limit that is not judged."""
    (tmp_path / "mine.yaml").write_text(PRESET, encoding="utf-8")
    (tmp_path / "test_long.py").write_text(LONG, encoding="utf-8")
    words = ("test_long.py", "-k", "holds or long", "--storage-preset=mine.yaml", "--storage-budget=2h")
    run = ended(tmp_path, *words)
    assert (run.status, run.results["overall"], run.results["run"]["left_out"]) == (0, "partial", []), run.output
