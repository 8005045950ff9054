"""The profiles that come with the suite: each is the job that its name and its source say, and fio takes it."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "profiles"
JOB_FILES = sorted(FOLDER.glob("*.fio"))
DOCUMENT = Path(__file__).parents[2] / "docs" / "profiles.md"
READWRITE = {
    "random-read": "randread",
    "random-write": "randwrite",
    "sequential-read": "read",
    "sequential-write": "write",
}
BLOCKS_AND_DEPTH = {"iops": ("4k", "64"), "bandwidth": ("128k", "64"), "latency": ("4k", "1")}
IN_QUARTERS = ["dbench-sequential-read", "dbench-sequential-write", "lesson-mixed-buffered"]


def job(name: str) -> dict[str, str | None]:
    parser = configparser.RawConfigParser(allow_no_value=True, default_section="global", delimiters=("=",))
    parser.read(FOLDER / f"{name}.fio", encoding="utf-8")
    return dict(parser[name])


@pytest.mark.parametrize(("pattern", "what"), [*product(READWRITE, BLOCKS_AND_DEPTH)])
def test_each_mode_of_kbench_is_its_job(pattern: str, what: str) -> None:
    blocks, depth = BLOCKS_AND_DEPTH[what]
    assert job(f"{pattern}-{what}") == {
        "ioengine": "libaio",
        "direct": "1",
        "randrepeat": "0",
        "verify": "0",
        "readwrite": READWRITE[pattern],
        "bs": blocks,
        "iodepth": depth,
        "time_based": None,
        "runtime": "${RUNTIME}",
        "size": "${SIZE}",
        "filename": "${FILE}",
    }


@pytest.mark.parametrize("path", JOB_FILES, ids=lambda path: path.stem)
def test_the_comment_names_the_source_and_the_command_by_hand(path: Path) -> None:
    comment = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    assert any(line.startswith("# Stands for ") for line in comment)
    assert any(line.startswith("# Source: ") for line in comment)
    assert f"fio profiles/{path.name}" in " ".join(comment)


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("path", JOB_FILES, ids=lambda path: path.stem)
def test_fio_takes_the_job_file(path: Path, tmp_path: Path) -> None:
    environment = os.environ | {"FILE": str(tmp_path / "data"), "SIZE": "1048576", "RUNTIME": "1s"}
    parsed = subprocess.run(["fio", "--parse-only", path], env=environment, capture_output=True, text=True, check=False)
    assert (parsed.returncode, parsed.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("name", IN_QUARTERS)
def test_four_at_once_have_a_quarter_of_the_file_each_and_stay_inside(name: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(bytes(8 * 1024**2))
    environment = os.environ | {"FILE": str(data), "SIZE": str(8 * 1024**2), "RUNTIME": "1s"}
    short = tmp_path / f"{name}.fio"
    short.write_text(f"{(FOLDER / short.name).read_text()}number_ios=100\n", encoding="utf-8")
    load = subprocess.run(["fio", "--debug=io", short], env=environment, capture_output=True, text=True, check=True)
    filled = [line.split() for line in load.stdout.splitlines() if " fill: io_u " in line and ",len=" in line]
    quarters: dict[str, set[int]] = {}
    for words in filled:
        offset = int(words[-1].removeprefix("off=").partition(",")[0], 16)
        quarters.setdefault(words[1], set()).add(offset * 4 // data.stat().st_size)
    assert sorted(map(sorted, quarters.values())) == [[0], [1], [2], [3]]
    assert data.stat().st_size == 8 * 1024**2


def test_every_profile_stands_in_the_document_and_no_other() -> None:
    named = {line.split("`")[1] for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| `")}
    assert named == {path.stem for path in FOLDER.iterdir()}
