"""Priority over other processes on the same CPUs: for storage daemons, which must not queue behind their clients.

On a few shared cores they would; real ones have cores of their own.
"""

import contextlib
from collections.abc import Iterable
from pathlib import Path

from embedded_cluster import cgroups
from embedded_cluster.commands import succeeds
from embedded_cluster.layout import Layout

_NICE = -10
FIRST = ("nice", "-n", str(_NICE))
"""The words before a command that is to have it."""
_REAL_TIME = ("chrt", "--rr", "1")


def immediate() -> tuple[str, ...]:
    """Return the words before a command that runs as soon as it has work, whatever else the CPU does.

    For daemons that hand each write on to each other: without it each hand-over may wait for another process's slice
    of time. FIRST alone if the kernel refuses real-time priority.
    """
    return (*FIRST, *_REAL_TIME) if succeeds([*_REAL_TIME, "true"]) else FIRST


def go_with_others(pid: int) -> None:
    """Take real-time priority from all threads of a process; one that has ended has none."""
    succeeds(["chrt", "--all-tasks", "--other", "--pid", "0", str(pid)])


def go_immediately(pid: int) -> None:
    """Give all threads of a process the priority of `immediate`, if the kernel does; one that has ended needs none."""
    succeeds(["chrt", "--all-tasks", "--rr", "--pid", "1", str(pid)])


def go_first(layout: Layout, components: Iterable[str]) -> None:
    """Give it to the sessions of components too.

    If the kernel groups processes by session, a nice value alone counts only within the session of its process,
    and a daemon may create more of these.
    """
    for component in components:
        for pid in cgroups.members(f"{layout.cgroup}/daemons/{component}"):
            with contextlib.suppress(OSError):  # It has ended, or the kernel does not group by session.
                Path(f"/proc/{pid}/autogroup").write_text(str(_NICE))
