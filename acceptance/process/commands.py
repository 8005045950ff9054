"""A user's command, run to its end without a shell: its status, its output and its errors."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

from acceptance.process.waiting import wait_until
from acceptance.text.errors import EnvironmentFailure

SHOWN_LINES = 15
LINE_B = 4096
# The interval at which the caller's `tell` is called while a program runs.
TELL_S = 1.0
# The time that killed processes may take to exit: the kernel may still be busy with them.
GONE_S = 5.0


@dataclass(frozen=True, kw_only=True)
class CommandResult:
    """The result of a command. `words` are the words that were run."""

    words: tuple[str, ...]
    status: int
    stdout: str
    stderr: str

    @property
    def output_end(self) -> str:
        """The end of its errors, or of its output, as the tail of an error message."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()[-SHOWN_LINES:]
        return "\n".join(f"  {line}" for line in lines) or "  no output"

    def failure(self, expected: str) -> EnvironmentFailure:
        """Return the error that reports the expectation and the result."""
        return EnvironmentFailure(
            f"`{' '.join(self.words)}` ended with status {self.status}; expected {expected}; "
            f"it printed:\n{self.output_end}"
        )


def run_command(words: Sequence[str], *, values: Mapping[str, str], timeout_s: float) -> CommandResult:
    """Run a command with each `{name}` filled in from `values`; after `timeout_s`, kill it and all that it started.

    Processes that it leaves running when it ends by itself, as `reboot &` does, continue. Raises EnvironmentFailure if
    it is missing, cannot be run, or does not end in time.
    """
    return run_program(
        [word.format_map(values) for word in words],
        timeout_s=timeout_s,
        missing="name one that exists in the target file",
        longer="allow more time with timeout: in the target file",
    )


def run_program(
    words: Sequence[str],
    *,
    timeout_s: float,
    missing: str,
    longer: str,
    environment: Mapping[str, str] | None = None,
    tell: Callable[[float, str], None] = lambda passed_s, line: None,
) -> CommandResult:
    """Run a program as `run_command` does. `environment`: None for this process's own.

    `missing`, `longer`: what the user should do if there is no such program, or if it does not end in time; `tell` is
    called every second with the time that the program has run (s) and the last line of its errors.
    """
    argv, text = tuple(words), " ".join(words)
    # Files, not pipes: a child that continues would keep pipes open.
    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        try:
            # Ctrl-C is for the suite: it must not end a command that restores something.
            command = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                env=None if environment is None else dict(environment),
            )
        except FileNotFoundError:
            raise EnvironmentFailure(f"`{text}`: program {argv[0]!r} does not exist here; {missing}") from None
        except (OSError, ValueError) as error:
            raise EnvironmentFailure(f"`{text}` cannot be run: {error}") from error
        try:
            status = _wait(command, timeout_s=timeout_s, tell=lambda passed_s: tell(passed_s, _last_line(stderr)))
        except subprocess.TimeoutExpired as error:
            outcome = _kill_all(command)
            errors = _read(stderr).strip()
            raise EnvironmentFailure(
                f"`{text}` did not end within {timeout_s:.0f} s{': ' if errors else ''}{errors}; {outcome}; {longer}"
            ) from error
        except BaseException:
            _kill_all(command)
            raise
        return CommandResult(words=argv, status=status, stdout=_read(stdout), stderr=_read(stderr))


def _wait(command: subprocess.Popen[bytes], *, timeout_s: float, tell: Callable[[float], None]) -> int:
    """Return the program's status. Raises TimeoutExpired at the deadline."""
    began_s = time.monotonic()
    while True:
        left_s = began_s + timeout_s - time.monotonic()
        try:
            return command.wait(timeout=max(0.0, min(TELL_S, left_s)))
        except subprocess.TimeoutExpired:
            if left_s <= TELL_S:
                raise
            tell(time.monotonic() - began_s)


def _last_line(file: IO[bytes]) -> str:
    """Return the last line, read by its offset, because the program shares the file's position and writes there."""
    size = os.fstat(file.fileno()).st_size
    end = os.pread(file.fileno(), LINE_B, max(0, size - LINE_B)).decode(errors="replace")
    lines = end.strip().splitlines()
    return lines[-1].strip() if lines else ""


def _kill_all(command: subprocess.Popen[bytes]) -> str:
    """Kill the command and all that it started, so that none of it continues; return the outcome in words."""
    try:
        os.killpg(command.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    except PermissionError:  # as with sudo: waiting for it could take any time
        return "it still runs as another user, whose processes this user may not kill"
    command.wait()
    try:
        wait_until(
            "the processes of the command to end",
            lambda: not _is_there(command.pid),
            timeout_s=GONE_S,
            otherwise="still running",
        )
    except EnvironmentFailure:
        return "it was killed, but a process that it started still runs"
    return "it was killed"


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it belongs to another user
        return True
    return True


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
