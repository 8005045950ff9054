"""Records what sysbench prints when the suite runs it: `PYTHONPATH=. python selftests/.../record.py [NAME ...]`.

sysbench on the PATH; root for the records without space, which fill a file system of 2 MiB.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from acceptance.loads.sysbench.command import script

HERE = Path(__file__).parent
OPTIONS = ("--file-total-size=${SIZE}", "--file-test-mode=rndrw", "--time=${RUNTIME}", "--max-requests=0")
MIB = 1024**2


def run(folder: Path, *more: str, mib: int = 4, seconds: str = "5") -> str:
    """The output of the suite's script for sysbench, both streams as they come."""
    environment = os.environ | {"FOLDER": str(folder), "SIZE": str(mib * MIB), "RUNTIME": seconds}
    return output(["sh", "-c", script((*OPTIONS, *more))], env=environment)


def output(command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    out = subprocess.PIPE
    return subprocess.run(
        command, stdout=out, stderr=subprocess.STDOUT, text=True, cwd=cwd, env=env, check=False
    ).stdout


def whole(folder: Path) -> str:
    return run(folder, "--file-num=64", mib=64)


def killed(folder: Path) -> str:
    load = sysbench(folder, "--file-num=4", "--report-interval=1")
    return output(["timeout", "--signal=KILL", "4.4", *load], cwd=folder)


def missing_file(folder: Path) -> str:
    run(folder, "--file-num=4", seconds="1")
    (folder / "test_file.3").unlink()
    return output(sysbench(folder, "--file-num=4", prepare=False), cwd=folder)


def rejected_option(folder: Path) -> str:
    return run(folder, "--nonsense=1")


def not_installed(folder: Path) -> str:
    bin_ = folder / "bin"
    bin_.mkdir()
    (bin_ / "mkdir").symlink_to(shutil.which("mkdir") or "/bin/mkdir")
    environment = {"PATH": str(bin_), "FOLDER": str(folder), "SIZE": "1", "RUNTIME": "1"}
    return output([shutil.which("sh") or "/bin/sh", "-c", script(OPTIONS)], env=environment)


def no_space_for_files(folder: Path) -> str:
    return in_small_file_system(folder, holes=False)


def no_space_during_load(folder: Path) -> str:
    return in_small_file_system(folder, holes=True)


def in_small_file_system(folder: Path, *, holes: bool) -> str:
    """Four files of 1 MiB where only 2 fit; `holes`: they seem to be there."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", folder], check=True)
    try:
        for number in range(4 if holes else 0):
            with (folder / f"test_file.{number}").open("w") as file:
                file.truncate(MIB)
        return run(folder, "--file-num=4")
    finally:
        subprocess.run(["umount", folder], check=True)


def sysbench(folder: Path, *more: str, prepare: bool = True) -> list[str]:
    """sysbench itself, for 10 s, on four files."""
    if prepare:
        run(folder, "--file-num=4", seconds="1")
    return ["sysbench", "fileio", "--file-total-size=4M", "--file-test-mode=rndrw", "--time=10", *more, "run"]


RECORDS = (whole, killed, missing_file, rejected_option, not_installed, no_space_for_files, no_space_during_load)


def main() -> None:
    for record in RECORDS:
        name = record.__name__.replace("_", "-")
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with TemporaryDirectory(dir=".") as scratch:
            (HERE / f"{name}.txt").write_text(record(Path(scratch).resolve()), encoding="utf-8")


if __name__ == "__main__":
    main()
