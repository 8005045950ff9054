"""Which runs are added to the history at their end."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.results.history_file import History, read_history
from acceptance.results.recorder import Recorder
from acceptance.results.run_folder import RunFolder
from fixtures.history import add_to_history
from fixtures.options import INPUTS
from fixtures.run import Run
from selftests.unit.test_history_series import NIGHT, SETTINGS, measured_run


def finished(tmp_path: Path, recorder: Recorder, *, status: int, history: bool = True) -> list[int]:
    """A run with this exit status ends; the statuses of the runs that the history has then."""
    path = tmp_path / "history.jsonl"
    texts = {"sync-write-iops": "[job]"}
    asked = SimpleNamespace(history=History(path=path) if history else None, profile_texts=texts)
    config: Any = SimpleNamespace(stash={INPUTS: asked})
    add_to_history(config, Run(id="r", folder=RunFolder(tmp_path, run_id="r"), recorder=recorder), status=status)
    return [run.exit_status for run in read_history(path).runs]


@pytest.mark.parametrize("status", [0, 1, 5, 6])
def test_a_run_that_came_to_its_end_is_added_whatever_it_found(tmp_path: Path, status: int) -> None:
    assert finished(tmp_path, measured_run(), status=status) == [status]


@pytest.mark.parametrize("status", [2, 3, 4, 10])
def test_a_run_that_was_disturbed_is_no_night_to_compare_with(tmp_path: Path, status: int) -> None:
    assert finished(tmp_path, measured_run(), status=status) == []


def test_nothing_measured_is_nothing_to_keep(tmp_path: Path) -> None:
    recorder = Recorder(run_id="r", started_at=NIGHT, settings=SETTINGS, tier_limits=1)
    assert finished(tmp_path, recorder, status=0) == []


def test_without_a_history_nothing_is_written(tmp_path: Path) -> None:
    assert finished(tmp_path, measured_run(), status=0, history=False) == []
    assert list(tmp_path.iterdir()) == []
