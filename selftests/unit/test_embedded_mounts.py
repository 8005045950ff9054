"""What is mounted where, tried in mount namespaces that end with the test. Needs root."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


def apart(program: str, *, words: list[str | Path], propagation: str = "private") -> str:
    """The output of a Python program in a mount namespace of its own; `propagation`: of all mounts there."""
    command = ["unshare", "--mount", f"--propagation={propagation}", sys.executable, "-c", program, *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


NESTED = """
import sys
from pathlib import Path
from embedded_cluster import mounts
from selftests.lab.image_volumes import nest
folder = Path(sys.argv[1])
for _ in range(3):
    nest(folder)
print(len(mounts.below(folder)))
"""


def test_a_folder_is_nested_once_however_often_it_is_asked_for(tmp_path: Path) -> None:
    """Each more would be a mount more, and where mounts are shared twice as many."""
    assert apart(NESTED, words=[tmp_path]) == "1\n"
