"""Extents: where a profile reaches in the test file, as fio itself does it, and what is refused before it runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from acceptance.loads.extents import extent_problem
from acceptance.loads.fio.job_load import extent_of
from acceptance.loads.fio.job_sections import jobs_of, read_sections
from selftests.bounds import HANGS_S

MIB = 1024**2
FILE_MIB = 4
INSIDE = [
    "",
    "size=${SIZE}",
    "size=4m",
    "size=0",
    "io_size=8m",
    "size=50%",
    "size=100%\noffset=50%",
    "size=50%\noffset=75%",
    "offset=1m",
    "offset=1m\nio_size=4m",
    "size=3m\noffset=1m",
    "size=25%\noffset_increment=25%\nnumjobs=4",
    "size=100%\noffset_increment=25%\nnumjobs=4",
    "size=1m\noffset_increment=1m\nnumjobs=4",
    "offset_increment=1m\nnumjobs=4",
    "size=4m\nnumjobs=3",
    "offset_increment=4m",
]
BEYOND = [
    "size=8m",
    "size=1g",
    "size=2m\noffset=3m",
    "size=${SIZE}\noffset=1m",
    "size=4m\noffset_increment=1m\nnumjobs=2",
    "size=2m\noffset_increment=25%\nnumjobs=4",
    "size=1m\noffset_increment=1m\nnumjobs=5",
]
NOTHING_TO_LOAD = ["offset=4m", "offset=100%", "size=25%\noffset_increment=25%\nnumjobs=5", "size=50%\noffset=100%"]


def problem(options: str, *, test_size: int = FILE_MIB * MIB) -> str | None:
    jobs = jobs_of(read_sections(f"[load]\nnumjobs=1\n{options}\n")[0])
    return extent_problem([extent_of(job) for job in jobs], test_size=test_size)


def loaded_by_fio(options: str, folder: Path) -> int:
    """Return the size of a file of 4 MiB after fio has written what the options say."""
    file = folder / "file"
    file.write_bytes(bytes(FILE_MIB * MIB))
    (folder / "job.fio").write_text(f"[load]\nfilename={file}\nrw=write\nbs=64k\n{options}\n", encoding="utf-8")
    environment = {"SIZE": str(FILE_MIB * MIB), "PATH": os.environ["PATH"]}
    subprocess.run(["fio", folder / "job.fio"], check=True, capture_output=True, timeout=HANGS_S, env=environment)
    return file.stat().st_size


@pytest.mark.parametrize("options", INSIDE)
def test_what_fio_keeps_within_the_file_is_taken(options: str, tmp_path: Path) -> None:
    assert loaded_by_fio(options, tmp_path) == FILE_MIB * MIB
    assert problem(options) is None


@pytest.mark.parametrize("options", [each for each in BEYOND if "1g" not in each])
def test_what_fio_makes_the_file_larger_for_is_refused(options: str, tmp_path: Path) -> None:
    assert loaded_by_fio(options, tmp_path) > FILE_MIB * MIB
    assert problem(options) is not None


@pytest.mark.parametrize("options", [*BEYOND, *NOTHING_TO_LOAD])
def test_what_is_refused_says_which_section_and_what_to_do(options: str) -> None:
    assert "section [load]" in str(problem(options)) and "; lower its size, offset or" in str(problem(options))


def test_the_remedy_names_a_test_size_that_is_enough_if_there_is_one() -> None:
    assert str(problem("size=9m\noffset=500k")).endswith("or raise --storage-test-size to at least 10Mi")
    assert problem("size=9m\noffset=500k", test_size=10 * MIB) is None
    assert "--storage-test-size" not in str(problem("size=${SIZE}\noffset=1m"))
