"""What ends a test from outside says nothing about the storage: exit status 10, and no verdict."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from selftests.unit.docs_pages import ROOT
from selftests.warm_start import run_module

TIME_OUT_S = 3600
# Who hangs says that its time is over, as the timer that is set would: were that short, a test that a busy machine lets
# stand still would hear it at any other time, too.
TESTS = """
import os
import signal
import threading
import pytest
from acceptance.public import StorageFailure

def hang():
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= TIME_OUT_S
    os.kill(os.getpid(), signal.SIGALRM)
    threading.Event().wait()

def test_passes(storage_class): pass
def test_fails_an_assertion(storage_class): assert storage_class.name == ""
def test_fails(storage_class): pytest.fail("it is too slow")
def test_fails_in_a_helper(storage_class, helper): helper()
def test_fails_storage(storage_class): raise StorageFailure("it is broken")
def test_expects_an_error(storage_class):
    with pytest.raises(ValueError):
        pass
def test_hangs(storage_class): hang()
def test_hangs_and_cannot_be_undone(storage_class):
    try:
        hang()
    finally:
        raise StorageFailure("cannot be undone")
def test_needs_a_bad_fixture(storage_class, bad): pass
def test_needs_a_failed_fixture(storage_class, failed): pass
def test_cannot_be_torn_down(storage_class, bad_at_its_end): pass
def test_exits(storage_class): pytest.exit("enough")
def test_exits_with_success(storage_class): pytest.exit("enough", returncode=0)
def test_exits_as_an_internal_error(storage_class): pytest.exit("enough", returncode=3)
def test_ends_the_process(storage_class): raise SystemExit(0)
def test_is_interrupted(storage_class): raise KeyboardInterrupt
def test_stops_the_session(storage_class, request): request.session.shouldstop = "a plugin says so"
def test_fails_the_session(storage_class, request): request.session.shouldfail = "a plugin says so"
def test_passes_at_last(storage_class): pass
"""
CONFTEST = """
import pytest

@pytest.fixture
def helper():
    def fail(): pytest.fail("it is too slow")
    return fail

@pytest.fixture
def bad(): assert 1 == 2

@pytest.fixture
def failed(): pytest.fail("no such thing")

@pytest.fixture
def bad_at_its_end():
    yield
    assert 1 == 2
"""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A run on a directory of this host. `output`: what it printed; `results`: None where it left none."""

    status: int
    output: str
    results: dict[str, Any] | None

    @property
    def found(self) -> list[str]:
        """The statuses of its verdicts."""
        return [verdict["status"] for verdict in (self.results or {"verdicts": []})["verdicts"]]


def run(folder: Path, *names: str, words: tuple[str, ...] = ()) -> Ended:
    """Run those of the tests above, with these words."""
    (folder / "disk").mkdir()
    (folder / "test_own.py").write_text(TESTS.replace("TIME_OUT_S", str(TIME_OUT_S)), encoding="utf-8")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_"))}
    place = ("--storage-cluster=host", f"--storage-class={folder / 'disk'}", f"--storage-report={folder / 'reports'}")
    command = ("pytest", "-p", "no:hypothesispytest", "-p", "fixtures.plugins", *place, *words)
    tests = (f"test_own.py::test_{name}" for name in names)
    done = run_module(*command, *tests, folder=folder, environment=environment | {"PYTHONPATH": str(ROOT)})
    written = folder / "reports/latest/results.json"
    results = json.loads(written.read_text(encoding="utf-8")) if written.is_file() else None
    return Ended(status=done.returncode, output=done.stdout + done.stderr, results=results)


@pytest.mark.parametrize(
    "name", ["fails_an_assertion", "fails", "fails_in_a_helper", "fails_storage", "expects_an_error"]
)
def test_what_a_test_itself_finds_is_a_verdict(name: str, tmp_path: Path) -> None:
    ended = run(tmp_path, name)
    assert (ended.status, ended.found) == (1, ["fail"]), ended.output


@pytest.mark.parametrize(
    ("name", "words", "status"),
    [
        ("hangs", (f"--timeout={TIME_OUT_S}",), 10),
        ("hangs", (f"--timeout={TIME_OUT_S}", "--timeout-method=thread"), 10),
        ("hangs", ("-o", f"timeout={TIME_OUT_S}", "-o", "timeout_func_only=true"), 10),
        ("hangs_and_cannot_be_undone", (f"--timeout={TIME_OUT_S}",), 10),
        ("needs_a_bad_fixture", (), 10),
        ("needs_a_failed_fixture", (), 10),
        ("exits", (), 10),
        ("exits_with_success", (), 10),
        ("exits_as_an_internal_error", (), 10),
        ("ends_the_process", (), 10),
        ("is_interrupted", (), 2),
    ],
)
def test_what_ends_a_test_from_outside_is_no_verdict(
    name: str, words: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    ended = run(tmp_path, name, words=words)
    assert (ended.status, ended.found) == (status, []), ended.output
    assert ended.results is not None and ended.results["run"]["exit_status"] == status
    assert len(ended.results["errors"]) == (1 if status == 10 else 0), ended.results["errors"]
    assert "INTERNALERROR" not in ended.output
    assert list((tmp_path / "disk").iterdir()) == []


def test_a_fixture_that_fails_at_its_end_leaves_the_verdict(tmp_path: Path) -> None:
    ended = run(tmp_path, "cannot_be_torn_down")
    assert (ended.status, ended.found) == (10, ["pass"]), ended.output


@pytest.mark.parametrize("name", ["stops_the_session", "fails_the_session"])
def test_a_session_that_others_end_is_no_pass(name: str, tmp_path: Path) -> None:
    """But at its last test, when nothing is missing."""
    (tmp_path / "at first").mkdir()
    ended = run(tmp_path / "at first", "passes", name, "passes_at_last")
    assert (ended.status, ended.found) == (10, ["pass", "pass"]), ended.output
    (tmp_path / "at last").mkdir()
    ended = run(tmp_path / "at last", "passes", name)
    assert (ended.status, ended.found) == (7, ["pass", "pass"]), ended.output  # of the tier nothing was judged


@pytest.mark.parametrize("word", ["-x", "--maxfail=1", "--stepwise"])
def test_a_session_that_ends_at_the_first_fail_is_a_fail(word: str, tmp_path: Path) -> None:
    ended = run(tmp_path, "fails", "passes", words=(word,))
    assert (ended.status, ended.found) == (1, ["fail"]), ended.output
    assert ended.results is not None and ended.results["errors"] == []


def test_what_would_end_the_process_where_it_stands_is_refused(tmp_path: Path) -> None:
    ended = run(tmp_path, "passes", words=("-o", "faulthandler_exit_on_timeout=true"))
    assert (ended.status, ended.results) == (4, None), ended.output
    assert [line for line in ended.output.splitlines() if line] == [
        line for line in ended.output.splitlines() if "faulthandler_exit_on_timeout" in line
    ]
