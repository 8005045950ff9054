"""The commands that run sysbench, in the shells that images have: a stand-in writes down how it was called."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from acceptance.loads.sysbench.command import script
from acceptance.loads.sysbench.output import SysbenchOutput
from acceptance.loads.sysbench.profiles import read_options
from selftests.bounds import HANGS_S

SHELLS = [shell for shell in (("dash",), ("busybox", "sh"), ("bash", "--posix")) if shutil.which(shell[0])]
PROFILE = Path(__file__).parents[2] / "profiles" / "sysbench-random-mixed.sysbench"
OPTIONS = ("--file-total-size=${SIZE}", "--time=${RUNTIME}")
# Its last argument is what it was asked to do; it has prepared when its files are there, and fails where told to.
STAND_IN = """#!/bin/sh
for last; do :; done
echo "$PWD: $*" >> "$CALLS"
case "$last" in
  prepare) touch test_file.0 ;;
esac
[ "$last" != "$SLOW" ] || exec sleep 60
[ "$last" != "$FAILING" ] || exit 7
"""


@pytest.fixture(params=SHELLS, ids=lambda shell: shell[0])
def shell(request: pytest.FixtureRequest) -> Sequence[str]:
    found: Sequence[str] = request.param
    return found


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    stand_in = tmp_path / "bin" / "sysbench"
    stand_in.parent.mkdir()
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    path = f"{stand_in.parent}:{os.environ['PATH']}"
    folder = str(tmp_path / "a volume" / "files")
    return {"PATH": path, "CALLS": str(tmp_path / "calls"), "FOLDER": folder, "SIZE": "4194304", "RUNTIME": "3s"}


def run(shell: Sequence[str], commands: str, environment: dict[str, str]) -> int:
    return subprocess.run([*shell, "-c", commands], env=environment, check=False).returncode


def calls(environment: dict[str, str]) -> list[str]:
    return Path(environment["CALLS"]).read_text().replace(f"{environment['FOLDER']}: ", "").splitlines()


def test_files_are_made_and_loaded_in_the_folder(shell: Sequence[str], environment: dict[str, str]) -> None:
    assert run(shell, script(OPTIONS), environment) == 0
    assert calls(environment) == [
        "fileio --file-total-size=4194304 --time=3 prepare",
        "fileio --file-total-size=4194304 --time=3 --report-interval=1 run",
    ]


@pytest.mark.parametrize(("failing", "called"), [("prepare", 1), ("run", 2)])
def test_the_exit_status_is_sysbenchs(
    shell: Sequence[str], environment: dict[str, str], failing: str, called: int
) -> None:
    assert run(shell, script(OPTIONS), environment | {"FAILING": failing}) == 7
    assert len(calls(environment)) == called


def test_a_folder_that_cannot_be_made_is_a_failure(shell: Sequence[str], environment: dict[str, str]) -> None:
    assert run(shell, script(OPTIONS), environment | {"FOLDER": "/proc/nowhere"}) != 0
    assert not Path(environment["CALLS"]).exists()


@pytest.mark.parametrize(("slow", "status"), [("prepare", 143), ("run", -signal.SIGTERM)])
def test_nothing_writes_on_after_the_word_to_end(
    shell: Sequence[str], environment: dict[str, str], slow: str, status: int
) -> None:
    with subprocess.Popen(
        [*shell, "-c", script(OPTIONS)], env=environment | {"SLOW": slow}, stdout=subprocess.PIPE
    ) as load:
        while not (made := Path(environment["CALLS"])).exists() or not made.read_text().endswith(f"{slow}\n"):
            time.sleep(0.01)
        load.send_signal(signal.SIGTERM)
        load.communicate(timeout=HANGS_S)  # ends when the stand-in, too, has let go of its standard output
    assert load.returncode == status


@pytest.mark.skipif(shutil.which("sysbench") is None, reason="sysbench is not installed")
def test_sysbench_itself_runs_the_profile_and_makes_its_files_once(folder_in_memory: Path) -> None:
    """On no disk: a busy one may end no fsync in all of its time."""
    options = read_options(PROFILE.read_text(encoding="utf-8"))
    environment = os.environ | {"FOLDER": str(folder_in_memory / "files"), "SIZE": str(4 * 1024**2), "RUNTIME": "4s"}
    printed = []
    for _ in range(2):
        load = subprocess.run(["sh", "-c", script(options)], env=environment, stdout=subprocess.PIPE, check=True)
        printed.append(load.stdout)
        output = SysbenchOutput()
        output.feed(load.stdout)
        output.close()
        assert output.error is None
        assert output.samples  # of the seconds that a busy machine let it report
        # In one second or another: on a busy machine one may go by in which nothing is written.
        kinds = output.samples[0].counts
        assert all(sum(sample.counts[kind].ios for sample in output.samples) > 0 for kind in kinds)
    assert [text.count(b"Creating file ") for text in printed] == [64, 0]
    assert [text.count(b"Reusing existing file ") for text in printed] == [0, 64]
    sizes = [path.stat().st_size for path in (folder_in_memory / "files").iterdir()]
    assert (len(sizes), sum(sizes)) == (64, 4 * 1024**2)
