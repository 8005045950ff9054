"""The data patterns and the load beside them, run by fio itself: what ends up in the file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest

from acceptance.results.rebuilds import PATTERNS, Pattern
from acceptance.trials.rebuild.patterns import (
    FOREGROUND_FILE,
    FOREGROUND_SIZE,
    job_files,
    longest_writing_s,
    pattern_file,
)
from acceptance.trials.rebuild.volume import claim_size

BLOCK = 4096
MIB = 1024**2
# More writes of 1 MiB than are under way together: each of these has a buffer of its own in any case.
SIZE = 20 * MIB
PIECE = 16 * 1024

pytestmark = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")


def run(job: str, file: Path, **more: str) -> int:
    """The bytes that the job wrote."""
    environment = os.environ | {"FILE": str(file), "SIZE": str(SIZE)} | more
    path = str(files("acceptance.trials.rebuild").joinpath(job))
    done = subprocess.run(
        ["fio", "--output-format=json", path], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (job,) = json.loads(done.stdout)["jobs"]
    return int(job["write"]["io_bytes"])


def blocks(file: Path) -> list[bool]:
    """Whether each block of 4 KiB holds data."""
    content = file.read_bytes()
    return [any(content[start : start + BLOCK]) for start in range(0, len(content), BLOCK)]


def filled(pattern: Pattern, folder: Path, *, written: int) -> Path:
    """The file, for which no more than that was written."""
    file = folder / "data"
    assert run(pattern_file(pattern), file) == written
    return file


def test_pieces_are_waited_for_on_storage_that_writes_them_slowly() -> None:
    """As Ceph did on two shared cores, at 1 MiB/s: of the size that is usual, too, half of which are holes."""
    usual = 5 * 1024 * MIB
    assert longest_writing_s("alternating-4k", size=usual) > 1.5 * usual / 2 / MIB
    assert longest_writing_s("full-data", size=usual) < 1.5 * usual / (5 * MIB)


def test_full_data_leaves_no_hole_and_repeats_nothing(tmp_path: Path) -> None:
    file = filled("full-data", tmp_path, written=SIZE)
    content = file.read_bytes()
    assert len(content) == SIZE and all(blocks(file))
    pieces = [content[start : start + PIECE] for start in range(0, SIZE, MIB)]
    for first, second in combinations(pieces, 2):
        assert sum(one == other for one, other in zip(first, second, strict=True)) < 0.5 * PIECE


def test_alternating_4k_is_data_and_hole_in_turn_to_the_end(tmp_path: Path) -> None:
    found = blocks(filled("alternating-4k", tmp_path, written=SIZE // 2))
    assert found == [number % 2 == 0 for number in range(len(found))]
    assert len(found) == SIZE // BLOCK
    assert (tmp_path / "data").stat().st_blocks * 512 == pytest.approx(SIZE / 2, rel=0.05)


def test_the_foreground_stays_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "foreground"
    run(FOREGROUND_FILE, file, RUNTIME="1s")
    assert file.stat().st_size == FOREGROUND_SIZE and all(blocks(file))


@pytest.mark.parametrize("name", job_files())
def test_the_comment_names_the_command_by_hand(name: str) -> None:
    comment = [line for line in job_files()[name].splitlines() if line.startswith("#")]
    assert f"fio acceptance/trials/rebuild/{name}" in " ".join(comment)
    assert any(line.startswith("# Stands for ") for line in comment)


def test_every_pattern_has_its_file() -> None:
    assert set(job_files()) == {*map(pattern_file, PATTERNS), FOREGROUND_FILE}


@pytest.mark.parametrize("size", [64 * 1024**2, 10 * 1024**3])
def test_a_claim_holds_the_data_and_what_a_file_system_keeps(size: int) -> None:
    """ext4 gives a twentieth to root alone, and its journal and tables take some more."""
    claimed = claim_size(size)
    assert claimed % 1024**2 == 0
    assert claimed * 0.93 - 128 * 1024**2 > size + FOREGROUND_SIZE
    assert claimed < 2 * size + 512 * 1024**2
