"""Runs a command while the cluster is up: `run` brings it up if it must, and then takes it down again."""

import signal
import subprocess
from collections.abc import Callable, Sequence
from types import FrameType

from embedded_cluster.cluster import find
from embedded_cluster.layout import Layout

# Exit statuses of the suite: a test failed, or something is inconclusive.
_BAD_NEWS = (1, 6)


def run_on_cluster(
    layout: Layout,
    command: Sequence[str],
    *,
    up: Callable[[], int],
    down: Callable[[], int],
    require: Callable[[], None] = lambda: None,
) -> int:
    """Return the exit status of `command`. A cluster that ran before runs afterwards; signals go on to the command.

    `require` raises EnvironmentFailure if this machine cannot do what the command needs. It is called before the
    command, and again after one that fails: a failure on a machine that became too slow says nothing of the cluster.
    """
    ran_before = find(layout.name) is not None
    try:
        up()
        require()
        status = _run(command)
        if status in _BAD_NEWS:
            require()
        return status
    finally:
        if not ran_before:
            down()


def _run(command: Sequence[str]) -> int:
    # A session of its own: Ctrl-C reaches it once, from here, and it has the time it needs to clean up.
    process = subprocess.Popen(command, start_new_session=True)

    def pass_on(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
