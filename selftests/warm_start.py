"""`python -m MODULE` in a process of its own, forked of one that has loaded the libraries already.

To load them takes most of the processor time of a command that ends at once. What is forked has the folder, variables,
path and words of a new process, and ends like one. What starts a new interpreter stays tested: `test_warm_start.py`
compares both, and new ones are started by the tests of the wheel, and by integration tests that do something to a run.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[1]
# What an interpreter and its libraries read as they start.
ONCE = ("PYTHON", "LD_", "MALLOC_", "GLIBC_", "OPENSSL_")
# Of these, what is set later, or matters for what is killed alone.
SET_LATER = frozenset({"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"})
# Room for the words of a command, which take the place of the server's own in /proc.
ROOM = 16384
# Before any test changes them: the server's own variables name no folder of a test, of which nothing may stay.
_VARIABLES = dict(os.environ)


def run_module(
    module: str,
    *words: str,
    folder: Path,
    environment: Mapping[str, str],
    timeout_s: float = HANGS_S,
    together: bool = False,
    asked_by: Sequence[signal.Signals] = (),
    ends_s: float = 0.0,
) -> subprocess.CompletedProcess[str]:
    """Return how `python -m MODULE WORDS` ended in the folder, and its output; `together`: with its errors.

    A process that takes longer, or whose test is ended, gets each of the signals, and `ends_s` to end after each.
    Raises subprocess.TimeoutExpired, after which the process is gone, and ValueError for variables such as
    PYTHONWARNINGS and LD_PRELOAD, which only a new process reads.
    """
    if too_late := _of_the_interpreter(environment).items() - _VARIABLES.items():
        raise ValueError(f"expected no variables that a process reads as it starts, found {sorted(too_late)}")
    with TemporaryDirectory() as place:
        out = Path(place, "out")
        err = out if together else Path(place, "err")
        server = _server()
        server.send((module, words, str(folder), dict(environment), str(out), str(err)))
        pid = 0
        try:
            server.poll(None)  # reads nothing: a test that ends now leaves no half of an answer to the next
            pid = server.recv()
            in_time = server.poll(timeout_s)
        finally:
            pid = pid or server.recv()
            for stop_signal in (*asked_by, signal.SIGKILL):
                if not server.poll(0):
                    with suppress(ProcessLookupError):
                        os.kill(pid, stop_signal)
                    server.poll(ends_s)
            status = server.recv()
        output = out.read_text(encoding="utf-8")
        if not in_time:
            raise subprocess.TimeoutExpired([module, *words], timeout_s, output=output)
        return subprocess.CompletedProcess(
            [module, *words], status, output, "" if together else err.read_text(encoding="utf-8")
        )


def _of_the_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(ONCE) and name not in SET_LATER}


@cache
def _server() -> Connection:
    """Return the process that has loaded all libraries, one for each process of tests; it ends with it."""
    here, there = Pipe()
    variables = {name: value for name, value in _VARIABLES.items() if name not in SET_LATER}
    process = subprocess.Popen(
        [sys.executable, "-m", "selftests.warm_server", str(there.fileno()), " " * ROOM],
        cwd=ROOT,
        env=variables,
        stdin=subprocess.DEVNULL,
        pass_fds=[there.fileno()],
    )
    there.close()
    atexit.register(process.wait)
    atexit.register(here.close)
    return here
