"""`python -m acceptance accept-level`: a line of the history, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.__main__ import main
from acceptance.results.history_file import append, read_history
from selftests.unit.test_history_file import record


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Three nights."""
    for day, name in enumerate("abc", start=1):
        append(tmp_path / "history.jsonl", record(name, day=day))
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["accept-level", *arguments]) == 4
    return capsys.readouterr().err.strip()


def test_a_level_is_accepted_from_a_run_on(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--run", "b", "--storage-class", "schnell-\u00fc", "--because", "two replicas in place of three"]
    assert main(["accept-level", str(history), *words]) == 0
    assert capsys.readouterr().out == (
        "accepted: the level of all profiles on schnell-\u00fc from run b of 2026-11-03 on; the history has 2 runs "
        "at this level so far; later runs are no longer compared with earlier ones\n"
    )
    found = read_history(history / "history.jsonl")
    assert len(found.runs) == 3 and found.problems == ()
    (level,) = found.accepted_levels
    assert (level.accepted, level.storage_class, level.profile) == ("b", "schnell-\u00fc", None)
    assert level.because == "two replicas in place of three"


def test_a_run_that_the_history_does_not_have_is_refused_with_those_it_has(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, str(history), "--run", "x")
    assert told.endswith(
        "expected the id of a run in this history, found x; its latest runs are a (2026-11-02), b (2026-11-03), "
        "c (2026-11-04)"
    )
    assert read_history(history / "history.jsonl").accepted_levels == ()


def test_what_the_run_has_not_measured_is_refused(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, str(history), "--run", "b", "--profile", "etcd-fsync")
    assert told.endswith(
        "expected what run b measured (sync-write-iops on schnell-\u00fc), found etcd-fsync on a class; "
        "choose one of these"
    )
    assert "found a profile on slow" in refused(capsys, str(history), "--run", "b", "--storage-class", "slow")


def test_a_history_that_is_not_there_is_refused_and_none_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "expected a history, found no file" in refused(capsys, str(tmp_path), "--run", "b")
    assert "in a folder that exists" in refused(capsys, str(tmp_path / "gone" / "file"), "--run", "b")
    assert list(tmp_path.iterdir()) == []
