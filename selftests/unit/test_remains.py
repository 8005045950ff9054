"""What the integration tests look through may be taken away while they look."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selftests.integration.remains import files_below, open_files


def test_a_folder_that_goes_while_files_are_looked_for_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("going", "going/deep", "staying"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").touch()
    look = os.scandir

    def take_away(path: Any) -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "going":
            Path(path).rename(tmp_path.with_name("elsewhere"))
        return look(path)

    monkeypatch.setattr(os, "scandir", take_away)
    assert files_below(tmp_path, "*ing/file") == [tmp_path / "staying" / "file"]
    assert not (tmp_path / "going").exists()


def test_a_process_that_has_ended_has_nothing_open() -> None:
    with open(__file__) as held:
        assert Path(__file__) in open_files(os.getpid())
    assert Path(held.name) not in open_files(os.getpid())
    assert open_files(2**22 + 1) == []
