"""Starts daemons, identifies them again, and ends exactly those that belong to a cluster."""

import dataclasses
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import cgroups
from embedded_cluster.layout import MARKER, Layout
from embedded_cluster.state import ClusterState, LoadedImages, ProcessRecord, read_state, write_state
from embedded_cluster.waiting import NotYet, wait_for


def started_ticks(pid: int) -> int | None:
    """Return when `pid` started, in clock ticks since boot; None if it does not run (a zombie does not)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def is_running(record: ProcessRecord) -> bool:
    """Return whether the very process that was recorded still runs, and not another with its pid."""
    return started_ticks(record.pid) == record.started_ticks


class Daemons:
    """Starts the cluster's processes and writes each into the state file before anything else happens."""

    def __init__(self, *, layout: Layout, state: ClusterState) -> None:
        self.layout = layout
        self.state = state
        self._lock = threading.Lock()

    def start(
        self, component: str, command: Sequence[str | Path], *, environment: Mapping[str, str] | None = None
    ) -> int:
        """Start `command` in a session of its own, logging to `logs/<component>.log`; return its pid.

        The process inherits the cluster's marker and sits in a cgroup of its own, as do all its children.
        """
        cgroup = f"{self.layout.cgroup}/daemons/{component}"
        cgroups.create_marking(cgroup)
        with (self.layout.logs / f"{component}.log").open("ab") as log:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={**os.environ, MARKER: self.layout.name, **(environment or {})},
                start_new_session=True,
            )
        cgroups.enter_marking(cgroup, process.pid)
        ticks = started_ticks(process.pid)
        if ticks is None:
            raise EnvironmentFailure(f"{component} ended immediately. {self.last_words(component)}")
        self._record(ProcessRecord(component=component, pid=process.pid, started_ticks=ticks))
        return process.pid

    def _record(self, record: ProcessRecord) -> None:
        with self._lock:
            other_records = tuple(old for old in self.state.processes if old.component != record.component)
            self.state = dataclasses.replace(self.state, processes=(*other_records, record))
            write_state(self.layout, self.state)

    def note_images(self, images: LoadedImages) -> None:
        """Record that all nodes have these images, too."""
        with self._lock:
            self.state = self.state.with_images(images)
            write_state(self.layout, self.state)

    def finish(self) -> None:
        """Record that everything was started and checked."""
        with self._lock:
            self.state = dataclasses.replace(self.state, complete=True)
            write_state(self.layout, self.state)

    def has(self, component: str) -> bool:
        """Return whether `component` was started, even if it has ended."""
        return any(record.component == component for record in self.state.processes)

    def running(self, component: str) -> int | None:
        """Return the pid of `component`; None if it was not started, or has ended."""
        records = (record for record in self.state.processes if record.component == component)
        return next((record.pid for record in records if is_running(record)), None)

    def require_alive(self, component: str) -> None:
        """Raise EnvironmentFailure with the end of its log if `component` has died."""
        record = next(record for record in self.state.processes if record.component == component)
        if not is_running(record):
            raise EnvironmentFailure(f"{component} ended. {self.last_words(component)}")

    def last_words(self, component: str) -> str:
        """Return the last lines of a component's log, and where the rest is."""
        path = self.layout.logs / f"{component}.log"
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        return f"Its log, {path}, ends:\n" + "\n".join(f"  {line[:300]}" for line in lines[-8:])


def of_cluster(layout: Layout) -> set[int]:
    """Return the pids of everything that belongs to a cluster: recorded, marked, or in one of its cgroups."""
    state = read_state(layout)
    pids = {record.pid for record in state.processes if is_running(record)} if state else set()
    pids |= cgroups.members(layout.cgroup)
    marker = f"{MARKER}={layout.name}".encode()
    for pid in psutil.pids():
        try:
            if marker in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                pids.add(pid)
        except OSError:
            continue
    return {pid for pid in pids - {os.getpid()} if started_ticks(pid) is not None}


def end(layout: Layout, *, letting_go: Callable[[], None] = lambda: None, timeout: float = 60) -> int:
    """Kill all processes of a cluster until none is left; return how many there were.

    `letting_go` is called once they are killed, and again: some of them may wait for what it releases.

    SIGKILL without SIGTERM first: the cluster is thrown away, and a polite end lets kubelets and shims start more.
    """
    all_pids: set[int] = set()

    def kill_all() -> None:
        pids = of_cluster(layout)
        all_pids.update(pids)
        kill(pids)
        letting_go()
        if pids:
            raise NotYet(f"processes {sorted(pids)}")

    wait_for(f"the processes of cluster {layout.name} to end", kill_all, timeout=timeout, interval=0.05)
    return len(all_pids)


def with_argument(argument: str) -> set[int]:
    """Return the pids of processes that were started with exactly `argument` among their words."""
    pids = set()
    for pid in psutil.pids():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if argument.encode() in words and started_ticks(pid) is not None:
            pids.add(pid)
    return pids


def kill(pids: Collection[int]) -> None:
    """Kill all, as a power cut does: none notices that another ends. One that has ended already is no error."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
