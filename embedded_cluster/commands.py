"""Runs a program of the host to its end."""

import contextlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure

KILLED_S = 5.0
"""Time for a program to end after it is killed."""


def run(
    command: Sequence[str | Path],
    *,
    timeout: float = 30,
    stdin: str | None = None,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    """Run `command` and return its output.

    Raises EnvironmentFailure with its last lines if it is missing, fails, or takes more than `timeout` seconds.
    """
    words = [str(word) for word in command]
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=cwd,
            text=True,
        )
    except FileNotFoundError:
        raise EnvironmentFailure(f"the program {words[0]} is missing") from None
    try:
        output, errors = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        how = "it was killed" if _kill(process) else "it cannot be killed: a disk or a mount does not answer the kernel"
        raise EnvironmentFailure(f"`{' '.join(words)}` did not end within {timeout:.0f} s; {how}") from None
    except BaseException:
        _kill(process)
        raise
    if process.returncode:
        lines = (errors.strip() or output.strip()).splitlines()[-15:]
        raise EnvironmentFailure(f"`{' '.join(words)}` ended with {process.returncode}:\n" + "\n".join(lines))
    return output


def _kill(process: subprocess.Popen[str]) -> bool:
    """Kill the program; return whether it ended. One that waits for a device may never end, so the wait has a limit."""
    process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):  # its unread input is still buffered
                stream.close()
    try:
        process.wait(timeout=KILLED_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def succeeds(command: Sequence[str | Path], *, timeout: float = 30) -> bool:
    """Return whether `command` succeeds."""
    try:
        run(command, timeout=timeout)
    except EnvironmentFailure:
        return False
    return True
