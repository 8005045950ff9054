"""Runs a program that starts others: all of them end when the build does, also if the build is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.waiting import NotYet, wait_for

Say = Callable[[str], None]
"""Reports the current step to the user."""
ENDS_S = 20.0
"""Time for a program to remove what it created, after a request to end; then it is killed."""
_LAST_LINES = 15
# The guard reads its standard input to the end: the word that all is done, or nothing if the build was killed.
_GUARD = "import sys; from release.running import guard; guard(int(sys.argv[1]), sys.stdin.read())"
_DONE_WORD = "done"


def run_group(
    command: Sequence[str], *, environment: Mapping[str, str], timeout: float, say: Say, shown_prefix: str = ""
) -> None:
    """Run the program in a process group of its own; no process of the group is left when this returns or is killed.

    `shown_prefix`: the prefix of those lines of its standard error that the user is to see immediately; none if empty.
    Raises EnvironmentFailure with its last lines if it is missing, fails, or takes more than `timeout` s.
    """
    last: deque[str] = deque(maxlen=_LAST_LINES)
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except FileNotFoundError:
        raise EnvironmentFailure(f"the program {command[0]} is missing") from None

    def read() -> None:
        for line in process.stderr or ():
            last.append(line.rstrip())
            if shown_prefix and line.startswith(shown_prefix):
                say(line.removeprefix(shown_prefix).strip())

    reader = threading.Thread(target=read, name=command[0], daemon=True)
    with _guard_group(process.pid):
        reader.start()
        try:
            process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise EnvironmentFailure(f"`{command[0]}` did not end within {timeout:.0f} s, and was stopped") from None
        reader.join(timeout=ENDS_S)
    if process.returncode:
        raise EnvironmentFailure(f"`{' '.join(command)}` ended with {process.returncode}:\n" + "\n".join(last))


@contextmanager
def _guard_group(group: int) -> Iterator[None]:
    """End the process group with the block, or with this process: a guard of its own session sees that end, too."""
    with subprocess.Popen(
        [sys.executable, "-c", _GUARD, str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        text=True,
        start_new_session=True,
    ) as guardian:
        try:
            yield
        finally:
            end_group(group)
            guardian.communicate(_DONE_WORD)


def guard(group: int, word: str) -> None:
    """End the group unless the word says that this was done."""
    if word != _DONE_WORD:
        end_group(group)


def end_group(group: int) -> None:
    """Send SIGTERM to all processes of the group, and kill those that still run after `ENDS_S`."""
    if not _lives(group):
        return
    _signal(group, signal.SIGTERM)

    def check_end() -> None:
        if _lives(group):
            raise NotYet("some of its processes still run")

    try:
        wait_for(f"process group {group} to end", check_end, timeout=ENDS_S)
    except EnvironmentFailure:
        _signal(group, signal.SIGKILL)


def _lives(group: int) -> bool:
    """Return whether the group has a process; reap its leader, which is this one's child, if it has ended."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(group, os.WNOHANG)
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


@contextmanager
def interrupted_in_order() -> Iterator[None]:
    """Raise KeyboardInterrupt once for SIGINT, SIGTERM or SIGHUP: what then ends the programs is not interrupted."""

    def interrupt(number: int, _: object) -> None:
        for signal_number in signals:
            signal.signal(signal_number, signal.SIG_IGN)
        raise KeyboardInterrupt

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {signal_number: signal.signal(signal_number, interrupt) for signal_number in signals}
    try:
        yield
    finally:
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)
