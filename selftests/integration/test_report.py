"""The report of real runs: whole by itself, readable without scripts, and there when the run was killed."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from selftests.integration.held_loads import held_profiles
from selftests.integration.suite import ROOT, SuiteRun, run_suite, suite_environment

LIMITS = """version: 1
tiers:
  baseline:
    limits:
      random-read-iops:
        read.iops: {at_least: 1, because: the test wants it so}
      random-write-iops:
        write.iops: {at_least: 900000000, because: the test wants it so}
"""
TARGET = """about: the disk of this test
caveats: [{what: nobody else writes to it, source: https://example.com/disk}]
"""
PROFILES = "test_profile_meets_the_limit and random and iops"


class Page(HTMLParser):
    """What is there before any script has run: text, scripts, what would be loaded, headings, unnamed drawings."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.scripts: list[str] = []
        self.loaded: list[str] = []
        self.headings: list[int] = []
        self.drawings = 0
        self.unnamed = 0
        self.open = ""
        self.feed(html)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.open = tag
        if tag in ("script", "link", "img", "source", "iframe", "object") and (
            found := given.get("src", given.get("href"))
        ):
            self.loaded.append(found)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "svg":
            self.drawings += 1
            self.unnamed += not given.get("aria-label")

    def handle_data(self, data: str) -> None:
        if self.open == "script":
            self.scripts.append(data)
        elif self.open != "style":
            self.words.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.open = ""


def options(folder: Path) -> tuple[str, ...]:
    """What asks for the two profiles on a directory of this host; the one passes, the other fails."""
    (folder / "limits.yaml").write_text(LIMITS)
    (folder / "target.yaml").write_text(TARGET)
    disk = folder / "a disk"
    disk.mkdir()
    return (
        "--storage-cluster=host",
        f"--storage-class={disk}",
        f"--storage-thresholds={folder / 'limits.yaml'}",
        f"--storage-target={folder / 'target.yaml'}",
        held_profiles(folder, "random-read-iops", "random-write-iops", rate=200),
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    folder = tmp_path_factory.mktemp("whole")
    return run_suite(
        *options(folder),
        *("--storage-destructive", "-k", f"({PROFILES}) or takes_a_write"),
        reports=folder / "reports",
        environment={"STORAGE_TIMEOUT": "7min", "STORAGE_KEEP": "no"},
    )


@pytest.fixture(scope="module")
def page(run: SuiteRun) -> Page:
    return Page((run.folder / "latest" / "report.html").read_text(encoding="utf-8"))


def test_every_verdict_and_its_reason_is_readable_without_scripts(run: SuiteRun, page: Page) -> None:
    assert run.status == 1, run.output
    verdicts = run.results["verdicts"]
    assert sorted(verdict["status"] for verdict in verdicts) == ["fail", "pass", "skipped"]
    assert [verdict["reason"] for verdict in verdicts if " ".join(verdict["reason"].split()) not in page.text] == []
    first, subjects, _ = page.text.partition(" Subjects ")
    assert subjects and run.verdict("random-write-iops")["reason"] in first
    assert first.index("FAIL") < first.index("What did not pass")
    assert "not complete" not in page.text and [verdict["test"] for verdict in verdicts] == run.results["run"]["tests"]


def test_the_page_is_one_file_in_which_nothing_runs(run: SuiteRun, page: Page) -> None:
    html = (run.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert page.scripts == [] and html.count("script-src 'none'") == 1
    assert [each for each in page.loaded if each] == []
    assert not re.search(r"@import|url\((?!#)", html)  # drawings cut off at paths of their own
    assert page.drawings >= 3 and page.unnamed == 0


def test_headings_follow_one_another(page: Page) -> None:
    assert page.headings.count(1) == 1 and page.headings[0] == 1
    assert all(below <= above + 1 for above, below in zip(page.headings, page.headings[1:], strict=False))


def test_the_command_selects_the_same_tests_again(run: SuiteRun, page: Page) -> None:
    command = run.results["run"]["command"]
    assert command in page.text
    assert "--storage-timeout=7min" in command and "--storage-destructive" in command and "keep" not in command
    listed = subprocess.run(
        [sys.executable, "-m", "storage_acceptance", *shlex.split(command)[1:], "--collect-only", "-q"],
        cwd=ROOT,
        env=suite_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert [line for line in listed.stdout.splitlines() if "::" in line] == run.results["run"]["tests"], listed.stderr


def test_what_was_tested_with_is_there_as_text(run: SuiteRun, page: Page) -> None:
    assert "rw=randwrite" in page.text.replace("readwrite=", "rw=")
    assert "write.iops: {at_least: 900000000, because: the test wants it so}" in page.text
    assert sorted(limit["profile"] for limit in run.results["tested_with"]["limits"]) == [
        "random-read-iops",
        "random-write-iops",
    ]
    assert "What is known about the disk of this test" in page.text
    assert "nobody else writes to it ( https://example.com/disk )" in page.text


KILLER = """
import itertools, os, signal
setups = itertools.count(1)
def pytest_runtest_setup(item):
    if next(setups) == NUMBER:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_in_test(number: int, folder: Path, *options: str) -> SuiteRun:
    """A run that is killed before a test does anything."""
    (folder / "killer.py").write_text(KILLER.replace("NUMBER", str(number)))
    run = run_suite(*("-p", "killer", *options), reports=folder / "reports", environment={"PYTHONPATH": str(folder)})
    assert run.status == -signal.SIGKILL, run.output
    return run


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A run that was killed between its first two verdicts."""
    folder = tmp_path_factory.mktemp("killed")
    given = options(folder)
    with (folder / "limits.yaml").open("a") as limits:
        limits.write("        stall.longest: {at_most: 10s, because: the test wants it so}\n")
    return killed_in_test(2, folder, *given, "-k", PROFILES)


def test_the_report_of_a_killed_run_says_what_was_found_and_what_is_missing(killed: SuiteRun) -> None:
    (verdict,) = killed.results["verdicts"]
    assert not killed.results["run"]["complete"]
    text = Page((killed.folder / "latest" / "report.html").read_text(encoding="utf-8")).text
    assert re.search(r"INCONCLUSIVE not complete \d of 3 tests passed, none failed, ", text)
    assert "2 without a verdict" in text and "No verdict" in text and "the run is not complete" in text
    assert verdict["reason"] in text
    assert "2 of 3 tests have no verdict" in text
    assert "random-write-iops: write.iops at least 900,000,000 IOPS" in text


def test_a_run_that_is_killed_in_its_first_test_says_what_it_was_to_do(tmp_path: Path) -> None:
    run = killed_in_test(1, tmp_path, *options(tmp_path), "-k", PROFILES)
    results, folder = run.results, run.folder / "latest"
    assert len(results["run"]["tests"]) == 2 and not results["run"]["complete"] and results["verdicts"] == []
    text = Page((folder / "report.html").read_text(encoding="utf-8")).text
    assert "2 of 2 tests have no verdict" in text and "Cluster not reached" not in text
    assert [test for test in results["run"]["tests"] if test not in text] == []
    assert results["cluster"]["nodes"][0]["name"] in text
    suite = ElementTree.parse(folder / "junit.xml").getroot()[0]
    assert {each.get("name"): each.get("value") for each in suite.iter("property")}["run"] == results["run"]["id"]
    assert re.search(r"^storage_acceptance_complete{.*} 0.0$", (folder / "metrics.prom").read_text(), re.MULTILINE)
    shown = subprocess.run(
        [sys.executable, "-m", "acceptance", "report", str(folder), "-o", str(tmp_path / "again.html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert "2 of 2 tests have no verdict" in (tmp_path / "again.html").read_text(encoding="utf-8")


# All that tells of a run, by where it is used.
TELLERS = (
    "fixtures.plan.assumed_throughput_of",
    "fixtures.report.render_summary",
    "fixtures.exposition.metrics_text",
    "fixtures.exposition.push",
    "fixtures.exposition.append_summary",
    "fixtures.history.record_of",
    "fixtures.junit.junit_text",
    "fixtures.verdicts.terminal_table",
)


def test_faults_in_all_that_tells_of_a_run_change_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(
        "import importlib\n"
        "def pytest_sessionstart(session):\n"
        f"    for each in {TELLERS!r}:\n"
        "        module, _, name = each.rpartition('.')\n"
        "        def faulty(*_, each=each, **__):\n"
        "            raise ZeroDivisionError(each)\n"
        "        setattr(importlib.import_module(module), name, faulty)\n"
    )
    run = run_suite(
        *("-p", "faulty", *options(tmp_path), "-k", "test_profile_meets_the_limit and random-read-iops"),
        *(f"--storage-history={tmp_path / 'history.jsonl'}", "--storage-pushgateway=http://127.0.0.1:1"),
        reports=tmp_path / "reports",
        environment={"PYTHONPATH": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")},
    )
    assert run.status == 0, run.output
    assert run.results["overall"] == "partial" and run.results["errors"] == []
    (verdict,) = run.results["verdicts"]
    assert f"{'PASS':12} read.iops of random-read-iops on {verdict['storage_class']} is " in run.output
    assert re.search("^overall: partial", run.output, re.MULTILINE)
    # as soon as it is known
    assert run.output.count("\nwarning: metrics.prom could not be created because of an error in this suite") == 1
    for teller in TELLERS:
        warnings = [told for told in run.results["warnings"] if f"ZeroDivisionError: {teller};" in told]
        assert len(warnings) == 1 and f"{'WARNING':12} {warnings[0]}" in run.output, teller
    assert run.results["run"]["exit_status"] == 0
