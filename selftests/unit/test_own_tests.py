"""Tests of users, and those that come with the suite under other names: planned and told of by what they ask for."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from acceptance.report.subjects import TITLES, chapters_of
from acceptance.results.file import read_results
from selftests.bounds import HANGS_S
from selftests.pytest_command import PYTEST
from selftests.unit.docs_pages import ROOT, example_of_own_tests

NO_CLUSTER = "--storage-embedded=no-such-cluster"
ALL = (NO_CLUSTER, "--storage-class=fast", "--storage-baseline-class=local", "--storage-destructive")
Planned = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests that come with the suite, with other names for files and functions, in the same order."""
    folder = tmp_path_factory.mktemp("renamed")
    for number, path in enumerate(sorted((ROOT / "tests").glob("test_*.py"))):
        text = re.sub(r"^def test_(\w+)", r"def test_as_\1", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        (folder / f"test_{number:02}.py").write_text(text, encoding="utf-8")
    return folder


def test_no_test_is_known_by_its_name() -> None:
    """But those of older suites, whose results said nothing else."""
    names = {path.stem for path in (ROOT / "tests").glob("test_*.py")}
    for path in (ROOT / "tests").glob("test_*.py"):
        names |= set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(names) > 40
    code = [*(ROOT / "acceptance").rglob("*.py"), *(ROOT / "fixtures").glob("*.py")]
    known = {path.name for path in code if names & set(re.findall(r"\w+", path.read_text(encoding="utf-8")))}
    assert known == {"version_1.py"}


def told(output: str) -> str:
    """The plan in it, in one line."""
    return " ".join(output.partition("The plan of this run")[2].partition("\n=")[0].split())


@pytest.mark.full
def test_a_plan_is_the_same_whatever_the_tests_are_called(planned: Planned, renamed: Path) -> None:
    ours, theirs = (planned(*ALL, *where) for where in ((), ("-c", "tox.ini", str(renamed))))
    assert ours[0] == theirs[0] == 0, theirs
    assert "fast: claim binds in time" in told(ours[1]) and "fast: as claim binds in time" in told(theirs[1])
    assert told(theirs[1]).replace("fast: as ", "fast: ") == told(ours[1])


def on_host(folder: Path, *options: str) -> Path:
    """A run on a directory of this host, with no load; its folder."""
    (folder / "disk").mkdir(parents=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_"))}
    words = [*PYTEST, "--storage-destructive", "-m", "not data_plane"]
    place = [f"--storage-class={folder / 'disk'}", "--storage-cluster=host", f"--storage-report={folder / 'reports'}"]
    done = subprocess.run(
        [*words, *place, *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 5, done.stdout + done.stderr
    return folder / "reports/latest"


@pytest.mark.full
def test_a_report_is_the_same_whatever_the_tests_are_called(renamed: Path, tmp_path: Path) -> None:
    """Each skipped, for want of a cluster: what it is about does not depend on what comes of it."""
    found = []
    for name, where in (("ours", ()), ("theirs", ("-c", "tox.ini", str(renamed)))):
        run = read_results(on_host(tmp_path / name, *where))
        chapters = chapters_of(run)
        found.append(
            [(verdict.limit, verdict.subject, chapters.titles[chapters.of(verdict)]) for verdict in run.verdicts]
        )
    ours, theirs = found
    assert theirs == ours
    assert {title for _, _, title in ours} >= {*list(TITLES.values())[5:12]}


def test_the_example_is_planned_with_its_time(planned: Planned, tmp_path: Path) -> None:
    _, *options = example_of_own_tests(tmp_path)
    status, output = planned("-c", "tox.ini", NO_CLUSTER, *options)
    assert status == 0, output
    assert re.search(r"^order-log on fast +1 .* 0:\d\d  ", output, re.MULTILINE), output
    assert re.search(r"^fast: an order outlives its pod +1 +1 +2 ", output, re.MULTILINE), output
    assert "are unknown: " not in output


def test_what_a_test_says_of_its_time_is_in_the_plan(planned: Planned, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(
        "import pytest\n@pytest.mark.planned(seconds=90)\ndef test_mine(storage_class): pass\n"
        '@pytest.mark.capability("flying")\ndef test_unknown(storage_class): pass\n'
    )
    status, output = planned("-c", "tox.ini", NO_CLUSTER, "--storage-class=fast", str(tmp_path))
    assert status == 0, output
    assert re.search(r"^fast: mine \(time given by the test\) +1 +1:30$", output, re.MULTILINE), output
    assert "Resources and time of these are unknown: test_mine.py::test_unknown[fast]" in output


WRONG = """
import pytest

def test_crash(crash):
    pass

@pytest.mark.crash("nodefailed")
def test_other_crash(crash):
    pass

@pytest.mark.capability
def test_capability(show_capability):
    pass

@pytest.mark.chapter
def test_chapter(storage_class):
    pass

@pytest.mark.chapter(" ")
def test_untitled(storage_class):
    pass

@pytest.mark.planned(3)
def test_planned(storage_class):
    pass
"""


def test_all_that_is_wrong_with_what_tests_ask_for_is_told_at_once(planned: Planned, tmp_path: Path) -> None:
    (tmp_path / "test_wrong.py").write_text(WRONG)
    status, output = planned("-c", "tox.ini", NO_CLUSTER, "--storage-class=fast", str(tmp_path))
    assert status == 4, output
    for problem in (
        "test_crash[fast]: expected a mark crash(...) with one of pod-killed, ",
        "test_other_crash[fast]: expected a mark crash(...) with one of pod-killed, ",
        "test_capability[fast]: expected a mark capability(...) with one of appends, ",
        "test_chapter[fast]: expected a mark chapter(...) with a title, found ()",
        "test_untitled[fast]: expected a mark chapter(...) with a title, found ' '",
        "test_planned[fast]: expected a mark planned(...) with pods=, seconds= or both",
    ):
        assert problem in output, output


def test_what_ramps_needs_consent_marked_or_not(planned: Planned, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(
        'import pytest\n@pytest.mark.ramping("pods")\ndef test_mine(ramp, control_plane_limit): pass\n'
        '@pytest.mark.crash("node-failed")\ndef test_node(crash): pass\n'
    )
    options = ("-c", "tox.ini", NO_CLUSTER, "--storage-class=fast", str(tmp_path))
    assert "2 tests: destructive tests run only with --storage-destructive" in planned(*options)[1]
    assert "Destructive: 2 of 2 steps" in planned(*options, "--storage-destructive")[1]
