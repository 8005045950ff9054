"""The files of a run: whole at any time, with what was found so far. What --html and --junitxml name is pytest's."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
CONFTEST = """
import os
import signal
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def looked_at(request):
    folder = HERE / "reports" / "latest"
    name = request.node.name.partition("[")[0]
    for file in ("report.html", "junit.xml", "metrics.prom", "results.json"):
        (HERE / f"before-{name}-{file}").write_bytes((folder / file).read_bytes())
    if (HERE / "obstruct").exists() and name == "test_passes":
        obstructed = folder / (HERE / "obstruct").read_text()
        obstructed.unlink()
        obstructed.mkdir()
    if (HERE / "interrupt").exists() and name == "test_fails":
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
        os.kill(os.getpid(), signal.SIGINT)
    if (HERE / "kill").exists() and name == "test_fails":
        os.kill(os.getpid(), signal.SIGKILL)
"""
TESTS = """
def test_passes(storage_class):
    "Volumes of <fast> storage are good."


def test_fails(storage_class):
    assert 1 == 2, "<b>slow</b>"
"""
OPEN = """
import pytest

from acceptance.judging.outcome import plain_outcome, without_figures


def test_passes(storage_class):
    pass


def test_is_open(storage_class, accept):
    accept(without_figures(
        "open", storage_class=storage_class.name, profile=None, metric=None, rule="r", limit="l",
        status="inconclusive", finding=plain_outcome("too close to call"),
    ))
"""


def made(folder: Path, tests: str = TESTS) -> Path:
    """The folder, with these tests and a directory to load."""
    (folder / "test_it.py").write_text(tests)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "disk").mkdir()
    return folder


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The run of these tests, as an installed user starts it."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_"))}
    words = ("run", "--storage-cluster=host", "--storage-class=disk", "test_it.py", *options)
    return run_module("storage_acceptance", *words, folder=folder, environment=variables | {"PYTHONPATH": str(ROOT)})


def page_of(path: Path) -> str:
    """The page, which has its end and its policy, and nothing to run."""
    page = path.read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>") and page.count("Content-Security-Policy") == 1 and "<script" not in page
    return page


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where they have run to their end, with a page and a JUnit file of pytest's own."""
    folder = made(tmp_path_factory.mktemp("session"))
    done = run(folder, "--html=own/page.html", "--junitxml=own/junit.xml")
    assert done.returncode == 1, done.stdout + done.stderr
    (folder / "output").write_text(done.stdout)
    return folder


def test_after_each_test_the_page_has_what_was_found_so_far(whole: Path) -> None:
    first, second = (page_of(whole / f"before-test_{name}-report.html") for name in ("passes", "fails"))
    last = page_of(whole / "reports/latest/report.html")
    assert "not complete" in first and "2 of 2 tests have no verdict" in first
    assert "1 of 2 tests have no verdict" in second and "Volumes of &lt;fast&gt; storage are good." in second
    assert "not complete" not in last and "&lt;b&gt;slow&lt;/b&gt;" in last


def test_pages_and_junit_files_of_pytests_own_are_its_own(whole: Path) -> None:
    """With the verdict and the verdicts of tests, by the hooks and the properties that there are for them."""
    listed = (whole / "own/page.html").read_text(encoding="utf-8")
    assert "data-jsonblob" in listed and "fails tier baseline" in listed
    assert '<testsuite name="pytest"' in (whole / "own/junit.xml").read_text(encoding="utf-8")
    assert '<property name="status" value="fail"' in (whole / "own/junit.xml").read_text(encoding="utf-8")
    assert '<testsuite name="storage-acceptance"' in (whole / "reports/latest/junit.xml").read_text(encoding="utf-8")
    output = (whole / "output").read_text()
    assert output.count("own/page.html") == output.count("own/junit.xml") == 1


def test_the_list_of_pytest_html_says_what_the_verdicts_say(tmp_path: Path) -> None:
    """pytest knows a test that failed, the suite one that is too close to call."""
    done = run(made(tmp_path, OPEN), "--html=page.html")
    assert done.returncode == 6, done.stdout + done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    counts = dict(re.findall(r'<span class="(\w+)">([^<]*?),?</span>', page))
    assert {name: counts[name] for name in ("passed", "failed", "xfailed", "skipped")} == {
        "passed": "1 pass",
        "failed": "0 fail",
        "xfailed": "1 inconclusive",
        "skipped": "0 skipped",
    }
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    tests: dict[str, Any] = json.loads(html.unescape(blob[1]))["tests"] if blob else {}
    (row,) = next(rows for name, rows in tests.items() if "test_is_open" in name)
    assert (
        row["resultsTableRow"][0]
        == '<td class="col-result" hidden>XFailed</td><td class="col-result">inconclusive</td>'
    )


def test_a_run_that_is_killed_leaves_what_it_had(tmp_path: Path) -> None:
    (made(tmp_path) / "kill").touch()
    assert run(tmp_path).returncode == -9
    page = page_of(tmp_path / "reports/latest/report.html")
    assert "not complete" in page and "1 of 2 tests have no verdict" in page
    assert (tmp_path / "reports/latest/junit.xml").read_text(encoding="utf-8").count("<testcase") == 1
    assert [path.name for path in (tmp_path / "reports/latest").glob(".*")] == []


@pytest.mark.parametrize("name", ["report.html", "junit.xml", "metrics.prom", "results.json"])
def test_a_file_that_cannot_be_written_ends_the_run_as_the_environment_does(name: str, tmp_path: Path) -> None:
    """It begins no further test; what else was written is whole, and no half file is left."""
    (made(tmp_path) / "obstruct").write_text(name)
    done = run(tmp_path)
    assert done.returncode == 10 and "INTERNAL" not in done.stdout + done.stderr, done.stdout + done.stderr
    assert f"{name} cannot be written" in done.stdout
    latest = tmp_path / "reports/latest"
    assert [path.name for path in latest.glob(".*")] == []
    assert not (tmp_path / "before-test_fails-report.html").exists()
    if name != "results.json":
        results = json.loads((latest / "results.json").read_text(encoding="utf-8"))
        assert len(results["verdicts"]) == 1 and not results["run"]["complete"]


def test_an_interrupted_run_is_not_complete_though_it_has_an_exit_status(tmp_path: Path) -> None:
    (made(tmp_path) / "interrupt").touch()
    assert run(tmp_path).returncode == 2
    (suite,) = ElementTree.parse(tmp_path / "reports/latest/junit.xml").getroot()
    assert {each.get("name"): each.get("value") for each in suite.findall("properties/*")}["complete"] == "False"
    assert "not complete" in page_of(tmp_path / "reports/latest/report.html")


def test_a_file_of_tests_that_cannot_be_read_is_an_error_of_the_run(tmp_path: Path) -> None:
    done = run(made(tmp_path, "import no_such_module\n"))
    assert done.returncode == 2, done.stdout + done.stderr
    (suite,) = ElementTree.parse(tmp_path / "reports/latest/junit.xml").getroot()
    assert [each.get("message") for each in suite.iter("error")] == ["collection failure"]


def test_the_report_names_no_folder_of_the_machine(whole: Path) -> None:
    page = page_of(whole / "reports/latest/report.html")
    assert str(ROOT) not in page and str(whole) not in page.replace(f"{whole}/disk", "")


def test_no_plugin_uses_what_is_private_to_pytest() -> None:
    private = re.compile(r"(?:from|import) (?:_pytest|pytest_html)|\w(?<!self)(?<!cls)\._[a-z]\w*")
    plugins = [ROOT / "conftest.py", *(ROOT / "fixtures").glob("*.py")]
    found = {plugin.name: private.findall(plugin.read_text(encoding="utf-8")) for plugin in plugins}
    assert {name: each for name, each in found.items() if each} == {}
