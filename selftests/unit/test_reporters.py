"""pytest's own reporters: the page has the verdicts at any time, whole, wherever people look for it."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from acceptance.process.private_folder import PREFIX
from acceptance.report.page import report_page
from selftests.pytest_command import PYTEST_MODULE
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
PLUGIN = """
import os
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acceptance.results.recorder import Recorder
from acceptance.results.run_folder import RunFolder
from fixtures.reporters import DRAFTS, take_over
from fixtures.run import RUN, Run


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    recorder = Recorder(run_id="r", started=datetime.now(UTC), settings={"tier": "baseline"}, tier_limits=0)
    folder = RunFolder(Path(config.rootpath), run_id="r")
    folder.make()
    take_over(config, page=folder.report, junit=folder.junit)
    config.stash[RUN] = Run(id="r", folder=folder, recorder=recorder)
    obstruct(config, when="at-first")


def pytest_runtest_setup(item):
    page = Path(item.config.rootpath, "r", "report.html")
    page.with_name(f"before-{item.name}.html").write_text(page.read_text())
    obstruct(item.config, when=f"before-{item.name}")
    if Path(item.config.rootpath, "kill").exists() and item.name == "test_fails":
        os.kill(os.getpid(), signal.SIGKILL)


def pytest_runtest_teardown(item):
    item.config.stash[RUN].recorder.warn("a", f"what <{item.name}> led to")


def obstruct(config, *, when):
    if Path(config.rootpath, when).exists():
        draft = config.stash[DRAFTS].page.path
        draft.unlink(missing_ok=True)
        draft.mkdir()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    run = config.stash[RUN]
    print("raised", run.raised, run.recorder.errors)
"""
VERDICTS = """
from acceptance.judging.outcome import told, without_figures
from fixtures.run import RUN


def pytest_runtest_call(item):
    status = {"test_passes": "pass", "test_fails": "inconclusive"}[item.name]
    verdict = without_figures(
        item.name, storage_class="fast", profile=None, metric=None, rule="r", limit="l", status=status, found=told("r")
    )
    run = item.config.stash[RUN]
    run.recorder.verdicts.append(verdict.model_copy(update={"test": item.nodeid}))
"""
TESTS = """
def test_passes():
    pass


def test_fails():
    assert 1 == 2
"""


def made(folder: Path) -> Path:
    """The folder, with the tests above."""
    (folder / "test_it.py").write_text(TESTS)
    (folder / "a_run.py").write_text(PLUGIN)
    (folder / "pytest.ini").write_text("[pytest]\ngenerate_report_on_test = true\nrender_collapsed = all\n")
    (folder / "temporary").mkdir()
    return folder


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run them as the suite runs its own."""
    own = (f"fixtures.{each}" for each in ("outward", "reporters", "report", "junit"))
    plugins = (*own, "a_run")
    words = [word for plugin in plugins for word in ("-p", plugin)]
    variables = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{folder}:{ROOT}", "TMPDIR": str(folder / "temporary")}
    return run_module(*PYTEST_MODULE, *words, *options, "test_it.py", folder=folder, environment=variables)


def page_of(path: Path) -> str:
    """The page, which has its end and its policy."""
    page = path.read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>") and page.count("Content-Security-Policy") == 1
    return page


def rows(page: str) -> list[str]:
    """The tests that its list has."""
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    tests: dict[str, Any] = json.loads(html.unescape(blob[1]))["tests"] if blob else {}
    return [each.rpartition("::")[2] for each in tests]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where they have run to their end, with a page and a JUnit file of the user's own."""
    folder = made(tmp_path_factory.mktemp("session"))
    done = run(folder, "--html=own/page.html", "--junitxml=$OWN/../own.xml")
    assert done.returncode == 1, done.stdout + done.stderr
    (folder / "output").write_text(done.stdout)
    return folder


def test_after_each_test_the_page_has_what_was_found_so_far(whole: Path) -> None:
    first, second, last = (
        page_of(whole / "r" / name) for name in ("before-test_passes.html", "before-test_fails.html", "report.html")
    )
    assert rows(first) == [] and "No verdict" in first and "led to" not in first
    assert rows(second) == ["test_passes"] and "&lt;test_passes&gt; led to" in second
    assert rows(last) == ["test_passes", "test_fails"] and "&lt;test_fails&gt; led to" in last
    for page in (second, last):
        title, verdict = page.index("</h1>"), page.index("No verdict")
        assert title < verdict < title + 300 and verdict < page.index("<h2>Tests</h2>") < page.index('results-table"')


def test_what_the_user_named_is_the_same_and_named_on_the_terminal(whole: Path) -> None:
    assert (whole / "own" / "page.html").read_text() == page_of(whole / "r" / "report.html")
    output = (whole / "output").read_text()
    for path in ("own/page.html", "r/report.html", "r/junit.xml"):
        assert output.count(f"{whole}/{path}") == 1
    assert PREFIX not in output


def test_the_list_of_tests_says_what_the_verdicts_say(tmp_path: Path) -> None:
    """pytest knows a test that failed, the suite one that is too close to call."""
    folder = made(tmp_path)
    (folder / "a_verdict.py").write_text(VERDICTS)
    done = run(folder, "-p", "a_verdict")
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    page = page_of(folder / "r" / "report.html")
    counts = dict(re.findall(r'<span class="(\w+)">([^<]*?),?</span>', page))
    assert {name: counts[name] for name in ("passed", "failed", "xfailed", "skipped")} == {
        "passed": "1 pass",
        "failed": "0 fail",
        "xfailed": "1 inconclusive",
        "skipped": "0 not judged",
    }
    cells = html.unescape(html.unescape(page))
    assert '<td class="col-result" hidden>XFailed</td><td class="col-result">inconclusive</td>' in cells.replace(
        '\\"', '"'
    )


def test_nothing_of_a_run_that_ended_is_left_and_of_a_killed_one_until_the_next(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "kill").touch()
    assert run(folder).returncode == -9
    page = page_of(folder / "r" / "report.html")
    assert rows(page) == ["test_passes"] and "&lt;test_passes&gt; led to" in page
    (private,) = (folder / "temporary").iterdir()
    assert private.name.startswith(PREFIX)
    (folder / "kill").unlink()
    run(folder)
    assert list((folder / "temporary").iterdir()) == []
    assert [each.name for each in (folder / "r").glob(".*")] == []


@pytest.mark.parametrize("when", ["at-first", "before-test_fails"])
def test_a_frame_that_cannot_be_written_keeps_no_run_from_its_course(tmp_path: Path, when: str) -> None:
    """What was written before stays, whole; the run ends with its own status and names the environment."""
    folder = made(tmp_path)
    (folder / when).touch()
    done = run(folder)
    assert "INTERNAL" not in done.stdout + done.stderr and "1 failed, 1 passed" in done.stdout
    assert re.search(r"raised \{10\} \[.the report is not complete: .*Is a directory", done.stdout)
    assert rows(page_of(folder / "r" / "report.html")) == ["test_passes"] * (when != "at-first")


def test_the_page_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    """Nor does a row of a skipped test, which has its reason alone; the report's style is there all the same."""
    folder = made(tmp_path)
    skipped = "import pytest\n\ndef test_skipped():\n    pytest.skip('no <driver> here')\n"
    (folder / "test_it.py").write_text(skipped + "def test_passes():\n    pass\n")
    done = run(folder)
    assert done.returncode == 0, done.stdout
    page = page_of(folder / "r" / "report.html")
    assert str(ROOT) not in page and str(folder) not in page and ".verdict" in page.partition("</head>")[0]
    data = json.loads(html.unescape(page.partition('data-jsonblob="')[2].partition('"')[0]))
    assert data["tests"]["test_it.py::test_skipped"][0]["log"] == "no &lt;driver&gt; here"


def test_a_page_without_a_title_is_not_one_to_put_a_summary_into() -> None:
    summary = Markup("<p>found</p>")
    for frame in (None, "", "<html><head></head><body>a frame</body></html>"):
        page = report_page(title="Storage", summary=summary, frame=frame)
        assert "<h1>Storage</h1>" in page and "<p>found</p>" in page and "a frame" not in page


def test_no_plugin_uses_what_is_private_to_pytest() -> None:
    private = re.compile(r"(?:from|import) (?:_pytest|pytest_html)|\w(?<!self)(?<!cls)\._[a-z]\w*")
    plugins = [ROOT / "conftest.py", *(ROOT / "fixtures").glob("*.py")]
    found = {each.name: private.findall(each.read_text(encoding="utf-8")) for each in plugins}
    assert {name: each for name, each in found.items() if each} == {}
