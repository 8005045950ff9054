"""What is forked of a process that has loaded the libraries does as a new interpreter does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from selftests.bounds import HANGS_S
from selftests.pytest_command import PYTEST_MODULE
from selftests.unit.docs_pages import ROOT
from selftests.warm_start import run_module

HERE = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "KUBE"))}
TELLS = """
import atexit, os, sys, tempfile, time
import beside
atexit.register(print, "at its end")
print(__name__, sys.argv[1:], os.getcwd(), os.environ.get("MINE"), os.environ.get("HOME"), sys.stdin.read())
print(sys.path[:2], tempfile.gettempdir(), time.strftime("%Z", time.gmtime(0)), beside.__file__)
print(sys.dont_write_bytecode)
print("to another", file=sys.stderr)
print(sorted(name for name in sys.modules if name.startswith(("selftests.unit", "fixtures", "tests", "xdist"))))
"""
ENDS = {
    "well": "",
    "with a status": "raise SystemExit(7)",
    "with a sentence": "raise SystemExit('no such thing')",
    "with an error": "raise ValueError('no such thing')",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "at once": "import os; os._exit(3)",
}


def both(folder: Path, environment: dict[str, str], *words: str) -> list[subprocess.CompletedProcess[str]]:
    """How the module and its words end of a new interpreter, and forked."""
    new = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    return [new, run_module(*words, folder=folder, environment=environment)]


@pytest.mark.parametrize("end", ENDS)
def test_a_process_is_as_a_new_one_and_ends_as_one(end: str, tmp_path: Path) -> None:
    (tmp_path / "beside.py").touch()
    (tmp_path / "tells.py").write_text(TELLS + ENDS[end], encoding="utf-8")
    environment = HERE | {"MINE": end, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("HOME", "PYTHONUNBUFFERED"):
        environment.pop(name, None)
    new, forked = both(tmp_path, environment, "tells", "one", "--two")
    assert (forked.returncode, forked.stdout) == (new.returncode, new.stdout)
    # The lines of a traceback above the module's own are those of whoever started it.
    assert forked.stderr.splitlines()[0] == new.stderr.splitlines()[0] == "to another"
    assert forked.stderr.splitlines()[-1] == new.stderr.splitlines()[-1]
    assert str(tmp_path) in forked.stdout or end in ("killed", "at once")


@pytest.mark.parametrize("options", [("--storage-plan", "--storage-class=fast"), ("--storage-class=Fast",)])
def test_the_suite_says_the_same(options: tuple[str, ...]) -> None:
    new, forked = both(ROOT, HERE, *PYTEST_MODULE, "--storage-embedded-name=no-such-cluster", *options)
    said = [re.sub(r" in [\d.]+s ", " ", each.stdout) for each in (new, forked)]
    assert said[0] == said[1] and new.stderr == forked.stderr and new.returncode == forked.returncode
    assert len(new.stdout + new.stderr) > 100


def test_what_hangs_is_ended(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text(
        "import os, signal\nopen('pid', 'w').write(str(os.getpid()))\nsignal.pause()", encoding="utf-8"
    )
    with pytest.raises(subprocess.TimeoutExpired):
        run_module("hangs", folder=tmp_path, environment=HERE, timeout_s=3.0)
    # It may not have come as far as to tell its number.
    if pid := (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else "":
        assert not Path("/proc", pid).exists()
    (tmp_path / "next.py").write_text("print('next')", encoding="utf-8")
    assert run_module("next", folder=tmp_path, environment=HERE).stdout == "next\n"


def test_what_only_a_new_interpreter_reads_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="PYTHONWARNINGS"):
        run_module("this", folder=tmp_path, environment=HERE | {"PYTHONWARNINGS": "error::FutureWarning"})
