"""pytest's own options and the plugins that users have beside the suite: they work as everywhere, or are refused."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from selftests.bounds import HANGS_S
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
TESTS = """
import time

import pytest


def test_last(storage_class):
    pass


@pytest.mark.smoke
def test_first(storage_class):
    assert not __import__("pathlib").Path("broken").exists()
"""
ASYNCHRONOUS = "import asyncio\n\nasync def test_waits(storage_class):\n    await asyncio.sleep(0)\n"
ORDERED = (
    "import pytest\n\n"
    "@pytest.mark.order(2)\ndef test_second(storage_class): pass\n\n"
    "@pytest.mark.order(1)\ndef test_first(storage_class): pass\n"
)
REPEATED = "import pytest\n\n@pytest.mark.flaky(reruns=2)\ndef test_it(storage_class): pass\n"
SLEEPS = "import time\n\ndef test_sleeps(storage_class): time.sleep(600)\n"
OTHERS = "def test_of_others(): pass\n"


@dataclass(frozen=True, kw_only=True)
class Session:
    """What a session left."""

    status: int
    output: str
    folder: Path

    @property
    def results(self) -> dict[str, Any]:
        text = (self.folder / "reports/latest/results.json").read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found

    @property
    def ran(self) -> list[str]:
        """The tests that came to a verdict, in their order."""
        return [verdict["test"].rpartition("::")[2].partition("[")[0] for verdict in self.results["verdicts"]]


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that they are in, for all workers."""
    folder = tmp_path_factory.getbasetemp().parent / "other-plugins"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
            words = ["--target", str(folder.with_suffix(".part")), "-r", str(ROOT / "selftests/other-plugins.txt")]
            subprocess.run([*pip, *words], check=True, timeout=HANGS_S)
            folder.with_suffix(".part").rename(folder)
    return folder


def session(
    folder: Path, *words: str, plugins: Path | None = None, tests: str = TESTS, more: Mapping[str, str] | None = None
) -> Session:
    """A run of these tests in the folder, as an installed user starts it; again where there was one."""
    (folder / "disk").mkdir(exist_ok=True)
    (folder / "test_it.py").write_text(tests)
    (folder / "pytest.ini").touch()
    # Within tox all sessions of pytest would share one cache of what failed last.
    left_out = ("STORAGE_", "PYTEST_", "TOX_")
    variables = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    variables["PYTHONPATH"] = os.pathsep.join([str(ROOT), *([] if plugins is None else [str(plugins)])])
    called = ["storage_acceptance", "run", "--storage-cluster=host", "--storage-class=disk", "test_it.py", *words]
    done = run_module(*called, folder=folder, environment=variables | (more or {}))
    return Session(status=done.returncode, output=done.stdout + done.stderr, folder=folder)


@pytest.mark.parametrize(
    "words",
    [
        ("-p", "no:html"),
        ("-p", "no:junitxml"),
        ("-p", "no:cacheprovider"),
        ("--setup-show",),
        ("--durations=3",),
        ("-p", "no:html", "-p", "no:junitxml", "-p", "no:metadata", "-W", "error"),
        ("-n", "2"),
        ("-l", "--full-trace", "--tb=long"),
    ],
)
def test_an_option_leaves_a_run_what_it_is(words: tuple[str, ...], tmp_path: Path) -> None:
    found = session(tmp_path, *words)
    assert found.status == 7, found.output
    assert found.ran == ["test_first", "test_last"]


@pytest.mark.parametrize(
    "words",
    [
        ("-p", "no:randomly"),
        ("-p", "no:randomly", "-p", "no:sugar", "--cov=disk"),
        ("-p", "no:randomly", "-p", "no:sugar", "--alluredir=allure"),
        ("-p", "no:randomly", "--timeout=500"),
        ("-p", "no:randomly", "-p", "no:sugar", "-p", "no:rerunfailures"),
    ],
)
def test_a_plugin_leaves_a_run_what_it_is(words: tuple[str, ...], plugins: Path, tmp_path: Path) -> None:
    """All of them at once, but for those that are named."""
    found = session(tmp_path, *words, plugins=plugins)
    assert found.status == 7, found.output
    assert found.ran == ["test_first", "test_last"]
    assert ("allure" not in "".join(words)) or list((tmp_path / "allure").glob("*-result.json"))


def test_a_random_order_runs_all_of_them(plugins: Path, tmp_path: Path) -> None:
    found = session(tmp_path, "-p", "randomly", plugins=plugins)
    assert found.status == 7, found.output
    assert sorted(found.ran) == ["test_first", "test_last"]


def test_an_order_that_tests_ask_for_is_theirs(plugins: Path, tmp_path: Path) -> None:
    found = session(tmp_path, "-p", "no:randomly", plugins=plugins, tests=ORDERED)
    assert (found.status, found.ran) == (7, ["test_first", "test_second"]), found.output


def test_an_asynchronous_test_is_run(plugins: Path, tmp_path: Path) -> None:
    found = session(tmp_path, "-p", "no:randomly", "-o", "asyncio_mode=auto", plugins=plugins, tests=ASYNCHRONOUS)
    assert (found.status, found.ran) == (7, ["test_waits"]), found.output


def test_a_test_that_takes_too_long_is_no_finding_about_the_storage(plugins: Path, tmp_path: Path) -> None:
    found = session(tmp_path, "-p", "no:randomly", "--timeout=2", plugins=plugins, tests=SLEEPS)
    assert (found.status, found.ran) == (10, []), found.output
    (error,) = found.results["errors"]
    assert "the pytest plugin timeout ended the test" in error


@pytest.mark.parametrize(
    ("words", "tests", "told"),
    [
        (("--setup-only",), TESTS, "expected no --setup-only"),
        (("--reruns=2",), TESTS, "found --reruns"),
        (("--force-reruns=2",), TESTS, "found --force-reruns"),
        (("-o", "reruns=2"), TESTS, "found the ini key reruns"),
        ((), REPEATED, "found the mark flaky"),
        (("-p", "no:terminal"), TESTS, "found -p no:terminal"),
        (("-p", "no:skipping"), TESTS, "found -p no:skipping"),
        (("-p", "no:python"), TESTS, "found -p no:python"),
        (("-o", "faulthandler_exit_on_timeout=true"), TESTS, "expected faulthandler_exit_on_timeout to be false"),
    ],
)
def test_what_would_spoil_a_verdict_is_refused(
    words: tuple[str, ...], tests: str, told: str, plugins: Path, tmp_path: Path
) -> None:
    found = session(tmp_path, "-p", "no:randomly", "-p", "no:sugar", *words, plugins=plugins, tests=tests)
    assert found.status == 4 and told in found.output, found.output
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize("word", ["--sw", "--stepwise", "-x", "--maxfail=1"])
def test_what_never_ran_is_not_taken_for_passed(word: str, tmp_path: Path) -> None:
    """Tests run in another order than they are collected in: those behind the failed one come again."""
    (tmp_path / "broken").touch()
    first = session(tmp_path, word)
    assert (first.status, first.ran) == (1, ["test_first"]), first.output
    (tmp_path / "broken").unlink()
    again = session(tmp_path, word)
    assert (again.status, again.ran) == (7, ["test_first", "test_last"]), again.output


@pytest.mark.parametrize(("word", "ran"), [("--lf", ["test_last"]), ("--ff", ["test_last", "test_first"])])
def test_what_failed_last_comes_alone_or_first(word: str, ran: list[str], tmp_path: Path) -> None:
    broken = TESTS.replace("    pass\n", "    assert False\n", 1)
    assert session(tmp_path, tests=broken).ran == ["test_first", "test_last"]
    found = session(tmp_path, word)
    assert (found.status, found.ran) == (7, ran), found.output
    assert found.results["run"]["deselected"] == 2 - len(ran)


def test_the_tests_of_others_are_none_of_the_runs(tmp_path: Path) -> None:
    found = session(tmp_path, tests=TESTS + OTHERS)
    assert found.status == 7 and found.ran == ["test_first", "test_last"], found.output
    assert len(found.results["run"]["tests"]) == 2 and "3 passed" in found.output
    failing = session(tmp_path, tests=TESTS + OTHERS.replace("pass", "assert False"))
    assert failing.status == 1 and failing.ran == ["test_first", "test_last"], failing.output
    assert (failing.results["overall"], failing.results["run"]["exit_status"]) == ("partial", 7)


def test_a_session_without_a_test_of_storage_is_no_run(tmp_path: Path) -> None:
    found = session(tmp_path, tests=OTHERS)
    assert found.status == 0 and not (tmp_path / "reports").exists(), found.output
    assert "storage_class" in found.output
