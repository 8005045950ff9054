"""Loads the libraries once, and forks a process of itself for each command: see `selftests/warm_start.py`.

    python -m selftests.warm_server DESCRIPTOR ROOM

It ends when the other end of the connection is closed. ROOM is for the words of the commands in /proc.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pkgutil
import runpy
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

import acceptance

# Plugins of pytest are not loaded, neither the suite's nor others: pytest itself does that, in its order.
LIBRARIES = ("pytest", "kubernetes.client", "kubernetes.config", "kubernetes.stream", "rich.console", "rich.table")
FOLDER_OF_COMMAND = 0  # in sys.path
ARGUMENTS_BEGIN, ARGUMENTS_END = 48, 49  # fields of /proc/PID/stat, from 1 on


def load() -> None:
    """Load the libraries that most commands load. The engine never asks for variables or arguments as it is loaded."""
    gc.disable()
    for name in LIBRARIES:
        import_module(name)
    for package in pkgutil.walk_packages(acceptance.__path__, "acceptance."):
        if not package.name.endswith("__main__"):
            import_module(package.name)
    gc.collect()
    gc.freeze()
    gc.enable()


def become(module: str, words: tuple[str, ...], folder: str, environment: dict[str, str], out: str, err: str) -> None:
    """Make this process one that was started with these arguments; then run the module."""
    for path, descriptor in ((out, 1), (err, 2)):
        source = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(source, descriptor)
        os.close(source)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    tempfile.tempdir = None
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    python_path = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:] = [folder, *python_path, *sys.path[FOLDER_OF_COMMAND + 1 :]]
    sys.argv = [module, *words]
    name_process([sys.executable, "-m", module, *words])
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def name_process(words: Sequence[str]) -> None:
    """Put these words into /proc as the command line, as far as there is room: others recognize their runs by them."""
    after_name = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    begin, end = (int(after_name[field - 3]) for field in (ARGUMENTS_BEGIN, ARGUMENTS_END))
    room = end - begin - 1
    text = b"".join(word.encode(errors="surrogateescape") + b"\0" for word in words)[:room]
    ctypes.memmove(begin, text.ljust(room, b"\0"), room)


def serve(connection: Connection) -> tuple[str, tuple[str, ...], str, dict[str, str], str, str] | None:
    """Fork for each request, and report how it ended. Returns its request in each new process, here None at the end.

    An interruption from a terminal is for the commands: this process waits for them until they have ended in order.
    """
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return None
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, handler)
            connection.close()
            return request
        connection.send(pid)
        _, status = os.waitpid(pid, 0)
        connection.send(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    load()
    assert threading.active_count() == 1, "a process with threads cannot be forked"
    own_request = serve(Connection(int(sys.argv[1])))
    # Outside of all that serves, so that the process ends as any other: with what is registered for its end.
    if own_request is not None:
        become(*own_request)
