"""A load in a process of this host: started, followed while it runs, and ended with all its child processes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

from acceptance.loads.fio.samples import Sample
from acceptance.measuring.load import Watch
from acceptance.measuring.load_log import LoadLog, Output, WatchedSamples
from acceptance.measuring.load_script import HOST_LOAD
from acceptance.process.undoing import Undoing
from acceptance.text.errors import EnvironmentFailure, StorageFailure

# The time that a load's processes may take to exit: after SIGTERM, at their own end, after SIGKILL.
ASKED_S, OVER_S, KILLED_S = 10.0, 1.0, 5.0
# poll() takes at most an int of milliseconds, and a large file takes long to write.
LONGEST_POLL_S = 3600.0


class ProcessLoad:
    """The load of a command that runs for the duration of the block; `log` is its output so far.

    Root runs it as the owner of the folder, because a load generator needs no more permissions. No process of it is
    left after the block. Raises StorageFailure if a process does not exit even after SIGKILL.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        label: str,
        folder: Path,
        environment: Mapping[str, str],
        new_output: Callable[[], Output],
    ) -> None:
        self.log = LoadLog(new_output=new_output)
        self._label = label
        self._command = command
        self._folder = folder
        self._mark = uuid.uuid4().hex
        self._undo = Undoing()
        self._environment = {**os.environ, **environment, HOST_LOAD: self._mark}

    def __enter__(self) -> ProcessLoad:
        try:
            owner = self._folder.stat()
            as_owner: dict[str, Any] = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **(as_owner if os.geteuid() == 0 else {}),
            )
        except OSError as error:
            raise EnvironmentFailure(f"{self._label} could not be started: {error}") from error
        assert self._process.stdout is not None
        self._stdout = self._process.stdout
        for undo in (self._stdout.close, self.log.close, self._end):
            self._undo.callback(undo)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.__exit__(kind, error, trace)

    @property
    def pid(self) -> int:
        """The id of the started process."""
        return self._process.pid

    def follow(self, watch: Watch, *, within_s: float) -> tuple[list[Sequence[Sample]], bool]:
        """Read the load's output until it has ended or `watch` ends it; return the samples of each segment.

        The second value is True if `watch` ended it. Raises StorageFailure if the load takes longer than `within_s`,
        EnvironmentFailure if another process ended it.
        """
        watched_samples = WatchedSamples(watch)
        try:
            for piece in self._pieces(within_s=within_s):
                self.log.feed(piece)
                if watched_samples.enough(self.log):
                    return watched_samples.samples(self.log), True
                if self.log.over:
                    return watched_samples.samples(self.log), False
        except TimeoutError:
            raise StorageFailure(f"{self._label} did not end within {within_s:.0f} s: {self._messages()}") from None
        status = self._process.wait()
        raise EnvironmentFailure(
            f"{self._label} was ended by another process, with status {status}: {self._messages()}"
        )

    def _end(self) -> None:
        """Terminate the load if it still runs, then kill it; it has ended when no process holds the pipe."""
        is_running = not self.log.over and self._process.poll() is None
        if is_running:
            with suppress(ProcessLookupError, PermissionError):  # remaining processes show by holding the pipe
                os.killpg(self.pid, signal.SIGTERM)
        if not self._is_closed(within_s=ASKED_S if is_running else OVER_S):
            self._kill()
        self._process.wait()

    def _kill(self) -> None:
        for process in self._own_processes():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                process.kill()
        if not self._is_closed(within_s=KILLED_S):
            pids = ", ".join(str(process.pid) for process in self._own_processes())
            raise StorageFailure(f"{self._label} does not end after SIGKILL: the storage blocks processes {pids}")

    def _own_processes(self) -> list[psutil.Process]:
        """Return all processes that the load started."""
        processes = psutil.process_iter(["environ"])
        return [process for process in processes if (process.info["environ"] or {}).get(HOST_LOAD) == self._mark]

    def _is_closed(self, *, within_s: float) -> bool:
        """Return whether no process holds the pipe any more. Keep further output until the load reports its end."""
        try:
            for piece in self._pieces(within_s=within_s):
                if not self.log.over:
                    self.log.feed(piece)
        except TimeoutError:
            return False
        return True

    def _pieces(self, *, within_s: float) -> Iterator[bytes]:
        """Yield the output until its end. Raises TimeoutError after `within_s`."""
        deadline = time.monotonic() + within_s
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN | select.POLLHUP)
        while (left_s := deadline - time.monotonic()) > 0:
            if not poll.poll(min(left_s, LONGEST_POLL_S) * 1000):
                continue
            piece = os.read(self._stdout.fileno(), 65536)
            if not piece:
                return
            yield piece
        raise TimeoutError

    def _messages(self) -> str:
        return self.log.segments[-1].messages if self.log.segments else self.log.before
