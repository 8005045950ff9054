"""Clones of little and of much data: what is told of their times, and that each holds its source's data."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features import clone_times
from acceptance.trials.features.clone_times import MIB, clone_times_in_words, try_clone_times
from selftests.unit.test_copies_of_volumes import FolderBench, tried

PER_MIB_S = 0.05
LITTLE, MUCH = 1 * MIB, 7 * MIB


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FolderBench:
    """Storage whose clones are copies of small files. `df` and pods cost nothing there, so looks are close."""
    monkeypatch.setattr(clone_times, "LITTLE", LITTLE)
    monkeypatch.setattr(clone_times, "MUCH", MUCH)
    monkeypatch.setattr(clone_times, "LOOKS_APART_S", 0.02)
    monkeypatch.setattr(clone_times, "wait_started", lambda *_, **__: None)
    monkeypatch.setattr(clone_times, "remove_claim", lambda *_, **__: None)
    made = FolderBench(tmp_path)
    made.timeout_s = 1.0  # type: ignore[attr-defined]
    return made


def test_clones_that_take_longer_for_more_data_are_copies(bench: FolderBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that only copies move."""
    now_s = 0.0

    def slowly(source: Path, target: Path, number: int) -> None:
        nonlocal now_s
        now_s += PER_MIB_S * (source / "data").stat().st_size / MIB
        shutil.copytree(source, target)

    monkeypatch.setattr(clone_times, "time", SimpleNamespace(monotonic=lambda: now_s))
    bench.copied = slowly
    said = try_clone_times(tried(bench))
    assert said.startswith("copies: 0.3 s more for 6 MiB more, so about ") and "3 clones of 1 MiB took 0.1 to " in said


def test_clones_of_each_size_are_made_in_turn(bench: FolderBench) -> None:
    try_clone_times(tried(bench))
    order = [name.removeprefix("clone-")[:-2] for name in bench.claims if name.startswith("clone-")]
    assert order == ["little", "much", "much", "little", "little", "much"]


def test_a_clone_that_lacks_data_is_told(bench: FolderBench) -> None:
    def cut(source: Path, target: Path, number: int) -> None:
        shutil.copytree(source, target)
        with (target / "data").open("r+b") as file:
            file.truncate(MIB // 2)

    bench.copied = cut
    with pytest.raises(StorageFailure, match=str(MIB // 2)):
        try_clone_times(tried(bench))


def test_where_nothing_can_clone_it_is_missing(bench: FolderBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.api, "get", lambda *_: {"spec": {"hostPath": {}}})
    with pytest.raises(Unsupported, match="only CSI drivers can clone"):
        try_clone_times(tried(bench))


@pytest.mark.parametrize(
    ("little", "much", "said"),
    [
        ([4.0, 4.2, 4.1], [6.0, 6.2, 6.1], "copies: 2.0 s more for 496 MiB more, so about 6.9 min for 100 GiB ("),
        ([4.0, 4.2, 4.1], [24.0, 24.2, 24.1], "copies: 20.0 s more for 496 MiB more, so about 69 min for 100 GiB ("),
        ([4.0, 4.2, 4.1], [64.0, 64.2, 64.1], "copies: 60.0 s more for 496 MiB more, so about 3.4 h for 100 GiB ("),
        # So much later may a clone be seen than it was there: this is no longer sure to be a copy.
        (
            [4.0, 4.2, 4.1],
            [5.1, 5.2, 5.1],
            "by reference, or copied at 225 MiB/s or more: no slower with 496 MiB more (1.0",
        ),
        (
            [4.0, 4.2, 4.1],
            [4.0, 4.3, 4.2],
            "by reference, or copied at 381 MiB/s or more: no slower with 496 MiB more (0.1",
        ),
        (
            [4.3, 4.4, 4.5],
            [4.0, 4.1, 4.2],
            "by reference, or copied at 551 MiB/s or more: no slower with 496 MiB more (0.0",
        ),
        # Noise of many seconds would hide a slow copy.
        (
            [3.0, 9.0, 4.0],
            [4.0, 12.0, 6.0],
            "copies and references cannot be distinguished: times overlap (3 clones of 16",
        ),
    ],
)
def test_what_is_told_of_the_times(little: Sequence[float], much: Sequence[float], said: str) -> None:
    found = clone_times_in_words(little, much)
    assert found.startswith(said), found
    assert "3 clones of 16 MiB took " in found
