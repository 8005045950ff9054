"""Running a program that starts others: it ends with all of them when the build does, also when that is killed."""

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
"""Tells the user what is done now"""
ENDS_S = 20.0
"""For a program to remove what it made, once it is asked to end; then it is killed"""
_LAST_LINES = 15
# The guard reads its standard input to the end: the word that all is done, or nothing, since the build was killed.
_GUARD = "import sys; from release.running import guard; guard(int(sys.argv[1]), sys.stdin.read())"
_DONE = "done"


def run_group(
    command: Sequence[str], *, environment: Mapping[str, str], timeout: float, say: Say, shown: str = ""
) -> None:
    """Run the program in a process group of its own; no process of the group is left when this returns or is killed.

    `shown`: how those lines of its standard error begin that the user is to see as they come; none where it is empty.
    Raises EnvironmentFailure with its last lines where it is missing, fails, or takes more than `timeout` s.
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
            if shown and line.startswith(shown):
                say(line.removeprefix(shown).strip())

    reader = threading.Thread(target=read, name=command[0], daemon=True)
    with _guarded(process.pid):
        reader.start()
        try:
            process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise EnvironmentFailure(f"`{command[0]}` did not end within {timeout:.0f} s; it was ended") from None
        reader.join(timeout=ENDS_S)
    if process.returncode:
        raise EnvironmentFailure(f"`{' '.join(command)}` ended with {process.returncode}:\n" + "\n".join(last))


@contextmanager
def _guarded(group: int) -> Iterator[None]:
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
            guardian.communicate(_DONE)


def guard(group: int, word: str) -> None:
    """End the group unless the word says that this was done."""
    if word != _DONE:
        end_group(group)


def end_group(group: int) -> None:
    """Ask all processes of the group to end, and kill those that are still there after `ENDS_S`."""
    if not _lives(group):
        return
    _signal(group, signal.SIGTERM)

    def gone() -> None:
        if _lives(group):
            raise NotYet("some of it runs")

    try:
        wait_for(f"process group {group} to end", gone, timeout=ENDS_S)
    except EnvironmentFailure:
        _signal(group, signal.SIGKILL)


def _lives(group: int) -> bool:
    """Whether the group has a process; its leader, which is this one's child, is reaped if it has ended."""
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
    """SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt, once: what ends what was started is not interrupted again."""

    def interrupt(number: int, _: object) -> None:
        for each in asked:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    asked = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {each: signal.signal(each, interrupt) for each in asked}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
