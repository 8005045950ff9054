"""A node of the embedded cluster ends as in a power cut: nothing that runs on it sees that something else has ended."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import psutil

from embedded_cluster.processes import kill
from selftests.bounds import HANGS_S

SHELLS = 30


def test_none_outlives_another_long_enough_to_tell(tmp_path: Path) -> None:
    """As the shell in a container does, which prints `Killed` where fio was."""
    script = 'sleep 300; echo Killed > "$1"'
    shells = [subprocess.Popen(["sh", "-c", script, "sh", tmp_path / str(number)]) for number in range(SHELLS)]
    waiting = [psutil.Process(shell.pid) for shell in shells]
    try:
        while not all(each.children() for each in waiting):
            time.sleep(0.02)
        sleeping = [child.pid for each in waiting for child in each.children()]
    finally:
        kill([*sleeping, *(shell.pid for shell in shells)])
        ended = [shell.wait(timeout=HANGS_S) for shell in shells]
    assert ended == [-9] * SHELLS
    assert not list(tmp_path.iterdir())
