"""`python -m MODULE` in a process of its own, forked of one that has loaded the libraries already.

To load them takes most of the processor time of a command that ends at once. What is forked has the folder, variables,
path and words of a new process, and ends like one. What starts a new interpreter stays tested: `test_warm_start.py`
compares both, and the tests of the wheel and all integration tests start new ones.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[1]
# What an interpreter reads as it starts begins with PYTHON; these are set later, or matter for what is killed alone.
SET_LATER = frozenset({"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"})


def run_module(
    module: str, *words: str, folder: Path, environment: Mapping[str, str], timeout_s: float = HANGS_S
) -> subprocess.CompletedProcess[str]:
    """How `python -m MODULE WORDS` ended in the folder, and what it printed.

    Raises subprocess.TimeoutExpired, after which the process is gone, and ValueError for variables such as
    PYTHONWARNINGS, which only a new interpreter reads.
    """
    if too_late := _of_the_interpreter(environment).items() - os.environ.items():
        raise ValueError(f"expected no variables that an interpreter reads as it starts, found {sorted(too_late)}")
    with TemporaryDirectory() as place:
        out, err = Path(place, "out"), Path(place, "err")
        server = _server()
        server.send((module, words, str(folder), dict(environment), str(out), str(err)))
        pid = server.recv()
        if not server.poll(timeout_s):
            os.kill(pid, signal.SIGKILL)
            server.recv()
            raise subprocess.TimeoutExpired([module, *words], timeout_s)
        status = server.recv()
        texts = (path.read_text(encoding="utf-8") for path in (out, err))
        return subprocess.CompletedProcess([module, *words], status, *texts)


def _of_the_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith("PYTHON") and name not in SET_LATER}


@cache
def _server() -> Connection:
    """The process that has loaded all, one for each process of tests; it ends with it."""
    here, there = Pipe()
    variables = {name: value for name, value in os.environ.items() if name not in SET_LATER}
    process = subprocess.Popen(
        [sys.executable, "-m", "selftests.warm_server", str(there.fileno())],
        cwd=ROOT,
        env=variables,
        stdin=subprocess.DEVNULL,
        pass_fds=[there.fileno()],
    )
    there.close()
    atexit.register(process.wait)
    atexit.register(here.close)
    return here
