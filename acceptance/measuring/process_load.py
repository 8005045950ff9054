"""A load in a process of this host: begun, followed while it runs, and ended with all that it started."""

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
from acceptance.measuring.load_log import LoadLog, Output, Watched
from acceptance.measuring.load_script import HOST_LOAD
from acceptance.process.undoing import Undoing
from acceptance.text.errors import EnvironmentFailure, StorageFailure

# How long the processes of a load may take to be gone: asked to end, at their own end, killed.
ASKED_S, OVER_S, KILLED_S = 10.0, 1.0, 5.0
# poll() takes no more than an int of milliseconds, and a large file takes long to write.
LONGEST_POLL_S = 3600.0


class ProcessLoad:
    """The load of a command that runs as long as the block; `log` is what it printed so far.

    Root has it run as the owner of the folder: a load generator needs no more power than that.
    No process of it is left after the block. Raises StorageFailure when one does not end even when killed.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        what: str,
        folder: Path,
        environment: Mapping[str, str],
        new_output: Callable[[], Output],
    ) -> None:
        self.log = LoadLog(new_output=new_output)
        self._what = what
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
            raise EnvironmentFailure(f"{self._what} could not be started: {error}") from error
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
        """The process that was started."""
        return self._process.pid

    def follow(self, watch: Watch, *, within_s: float) -> tuple[list[Sequence[Sample]], bool]:
        """Take what the load prints, until it has ended or `watch` finds it enough: the samples of each segment.

        The second value says whether `watch` ended it. Raises StorageFailure when it takes longer than `within_s`,
        EnvironmentFailure when somebody else ended it.
        """
        watched = Watched(watch)
        try:
            for piece in self._pieces(within_s=within_s):
                self.log.feed(piece)
                if watched.enough(self.log):
                    return watched.samples(self.log), True
                if self.log.over:
                    return watched.samples(self.log), False
        except TimeoutError:
            raise StorageFailure(f"{self._what} did not end within {within_s:.0f} s: {self._said()}") from None
        status = self._process.wait()
        raise EnvironmentFailure(f"{self._what} was ended by somebody else, with status {status}: {self._said()}")

    def _end(self) -> None:
        """Ask the load to end if it has not, then make it end; over is what holds the pipe no more."""
        asked = not self.log.over and self._process.poll() is None
        if asked:
            with suppress(ProcessLookupError, PermissionError):  # what is then left is told by what holds the pipe
                os.killpg(self.pid, signal.SIGTERM)
        if not self._closed(within_s=ASKED_S if asked else OVER_S):
            self._kill()
        self._process.wait()

    def _kill(self) -> None:
        for process in self._marked():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                process.kill()
        if not self._closed(within_s=KILLED_S):
            left = ", ".join(str(process.pid) for process in self._marked())
            raise StorageFailure(f"{self._what} does not end after SIGKILL: the storage blocks processes {left}")

    def _marked(self) -> list[psutil.Process]:
        """All processes that were started by the load."""
        there_are = psutil.process_iter(["environ"])
        return [each for each in there_are if (each.info["environ"] or {}).get(HOST_LOAD) == self._mark]

    def _closed(self, *, within_s: float) -> bool:
        """Whether nobody holds the pipe any more. What is still printed is kept until the load says that it is over."""
        try:
            for piece in self._pieces(within_s=within_s):
                if not self.log.over:
                    self.log.feed(piece)
        except TimeoutError:
            return False
        return True

    def _pieces(self, *, within_s: float) -> Iterator[bytes]:
        """What is printed, to its end. Raises TimeoutError."""
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

    def _said(self) -> str:
        return self.log.segments[-1].messages if self.log.segments else self.log.before
