"""A user's command, run to its end without a shell: its status, what it printed, and what it complained of."""

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
# So often who waits for a program is told of it.
TELL_S = 1.0
# How long what was killed may take to be gone: the kernel may still be busy with it.
GONE_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a command ended. `words` are those that were run."""

    words: tuple[str, ...]
    status: int
    stdout: str
    stderr: str

    @property
    def output_end(self) -> str:
        """The end of what it complained of, or of what it printed, as the tail of an error message."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()[-SHOWN_LINES:]
        return "\n".join(f"  {line}" for line in lines) or "  no output"

    def failed(self, wanted: str) -> EnvironmentFailure:
        """The error that says what was wanted of it and what came."""
        return EnvironmentFailure(
            f"`{' '.join(self.words)}` ended with status {self.status}; wanted {wanted}; it said:\n{self.output_end}"
        )


def run_command(words: Sequence[str], *, values: Mapping[str, str], timeout_s: float) -> Done:
    """Run it with each `{name}` filled in from `values`; after `timeout_s` it is killed, with all that it started.

    What it leaves running when it ends by itself, as `reboot &` does, goes on. Raises EnvironmentFailure when it is
    missing, cannot be run, or does not end in time.
    """
    return run_program(
        [word.format_map(values) for word in words],
        timeout_s=timeout_s,
        missing="name one that exists in the target file",
        longer="give it longer with timeout: in the target file",
    )


def run_program(
    words: Sequence[str],
    *,
    timeout_s: float,
    missing: str,
    longer: str,
    environment: Mapping[str, str] | None = None,
    tell: Callable[[float, str], None] = lambda passed_s, line: None,
) -> Done:
    """Run it as `run_command` does. `environment`: None for this process's own.

    `missing`, `longer`: what to do where there is no such program, or it does not end in time; `tell` is given, every
    second, how long it has run (s) and the last line that it has complained of.
    """
    filled, shown = tuple(words), " ".join(words)
    # Files, not pipes: a child that goes on would keep those open.
    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        try:
            # Ctrl-C is for the suite: what puts things back must not be ended by it.
            command = subprocess.Popen(
                filled,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                env=None if environment is None else dict(environment),
            )
        except FileNotFoundError:
            raise EnvironmentFailure(f"`{shown}`: there is no program {filled[0]!r} here; {missing}") from None
        except (OSError, ValueError) as error:
            raise EnvironmentFailure(f"`{shown}` cannot be run: {error}") from error
        try:
            status = _wait(command, timeout_s=timeout_s, tell=lambda passed_s: tell(passed_s, _last_line(stderr)))
        except subprocess.TimeoutExpired as error:
            ended = _kill_all(command)
            said = _read(stderr).strip()
            raise EnvironmentFailure(
                f"`{shown}` did not end within {timeout_s:.0f} s{': ' if said else ''}{said}; {ended}; {longer}"
            ) from error
        except BaseException:
            _kill_all(command)
            raise
        return Done(words=filled, status=status, stdout=_read(stdout), stderr=_read(stderr))


def _wait(command: subprocess.Popen[bytes], *, timeout_s: float, tell: Callable[[float], None]) -> int:
    """The program's status. Raises TimeoutExpired at the deadline."""
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
    """By its place: where the program writes next is where the file stands, which is shared with it."""
    size = os.fstat(file.fileno()).st_size
    end = os.pread(file.fileno(), LINE_B, max(0, size - LINE_B)).decode(errors="replace")
    lines = end.strip().splitlines()
    return lines[-1].strip() if lines else ""


def _kill_all(command: subprocess.Popen[bytes]) -> str:
    """Kill the command and what it started, so that nothing of it acts any more; how that went, in words."""
    try:
        os.killpg(command.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    except PermissionError:  # as of what sudo started; to wait for it would be to wait as long as it likes
        return "it still runs, as another user, whose processes this one may not end"
    command.wait()
    try:
        wait_until(
            "what the command started to be deleted",
            lambda: not _is_there(command.pid),
            timeout_s=GONE_S,
            otherwise="still there",
        )
    except EnvironmentFailure:
        return "it was killed, but a process that it started still runs"
    return "it was killed"


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is another user's
        return True
    return True


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
