"""Nobody has to read all that a command prints: piped into `head` it ends as it would have, without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]
COMMANDS = {  # the first word: PYTHONUNBUFFERED
    "overview": ("", "storage_acceptance", "--help"),
    "list": ("", "storage_acceptance", "list", "--storage-cluster=in-cluster"),
    "plan": ("", "storage_acceptance", "plan", "--storage-cluster=host", "--storage-class=."),
    "options": ("", "storage_acceptance", "run", "--help"),
    "limits unbuffered": ("1", "storage_acceptance", "limits"),
    "completion": ("", "storage_acceptance", "completion", "bash"),
    "engine": ("", "acceptance", "profiles"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_whose_reader_has_gone_ends_well(name: str, tmp_path: Path) -> None:
    unbuffered, *words = COMMANDS[name]
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "KUBE"))}
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            env={**kept, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            timeout=HANGS_S,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
