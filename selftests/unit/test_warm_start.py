"""What is forked of a process that has loaded the libraries does as a new interpreter does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
import pytest

from selftests import warm_start
from selftests.bounds import HANGS_S
from selftests.pytest_command import PYTEST_MODULE
from selftests.unit.docs_pages import ROOT
from selftests.warm_start import run_module

HERE = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "KUBE"))}
TELLS = """
import atexit, os, signal, sys, tempfile, time
import beside
atexit.register(print, "at its end")
print(__name__, sys.argv[1:], os.getcwd(), os.environ.get("MINE"), os.environ.get("HOME"), sys.stdin.read())
print(sys.path[:2], tempfile.gettempdir(), time.strftime("%Z", time.gmtime(0)), beside.__file__)
print(sys.dont_write_bytecode, signal.getsignal(signal.SIGINT))
print([word for word in open("/proc/self/cmdline").read().split(chr(0)) if word])
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


ENDS_IN_ORDER = """
import os, signal
def end(*_):
    open("in order", "w").close()
    raise SystemExit(0)
signal.signal(signal.SIGTERM, end)
os.kill(TESTED, signal.SIGUSR1)
while True:
    signal.pause()
"""


class Interrupted(Exception):
    """What a test ends with in the midst of a command, as at its time-out."""


def interrupt(*_: object) -> None:
    raise Interrupted


def test_a_command_whose_test_ends_is_asked_to_end_in_order(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(ENDS_IN_ORDER.replace("TESTED", str(os.getpid())), encoding="utf-8")
    (tmp_path / "next.py").write_text("import sys\nprint('next', file=sys.stderr)\nprint('last')", encoding="utf-8")
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(Interrupted):
            run_module("waits", folder=tmp_path, environment=HERE, asked_by=[signal.SIGTERM], ends_s=HANGS_S)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert (tmp_path / "in order").exists()
    ended = run_module("next", folder=tmp_path, environment=HERE | {"PYTHONUNBUFFERED": ""}, together=True)
    assert (ended.returncode, sorted(ended.stdout.split()), ended.stderr) == (0, ["last", "next"], "")


class EndsAtOnce:
    """A connection to the server whose first answer is waited for when the test ends."""

    def __init__(self, server: Connection) -> None:
        self._server, self._ends = server, [Interrupted()]

    def __getattr__(self, name: str) -> Any:
        if name in ("poll", "recv") and self._ends:
            raise self._ends.pop()
        return getattr(self._server, name)


def test_what_a_test_that_ends_at_once_has_begun_is_not_taken_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "next"):
        (tmp_path / f"{name}.py").write_text(f"print({name!r})", encoding="utf-8")
    with monkeypatch.context() as patched:
        connection = EndsAtOnce(warm_start._server())
        patched.setattr(warm_start, "_server", lambda: connection)
        with pytest.raises(Interrupted):
            run_module("first", folder=tmp_path, environment=HERE)
    ended = run_module("next", folder=tmp_path, environment=HERE)
    assert (ended.returncode, ended.stdout) == (0, "next\n")


def test_an_interruption_from_a_terminal_ends_no_server(tmp_path: Path) -> None:
    """The commands get it, too, and may take some time to end in order."""
    (tmp_path / "next.py").write_text("print('next')", encoding="utf-8")
    run_module("next", folder=tmp_path, environment=HERE)
    (server,) = (child for child in psutil.Process().children() if "selftests.warm_server" in child.cmdline())
    server.send_signal(signal.SIGINT)
    assert run_module("next", folder=tmp_path, environment=HERE).stdout == "next\n"


@pytest.mark.parametrize("name", ["PYTHONWARNINGS", "LD_PRELOAD"])
def test_what_only_a_new_process_reads_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=name):
        run_module("this", folder=tmp_path, environment=HERE | {name: "error::FutureWarning"})
