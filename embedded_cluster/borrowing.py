"""A command run while the cluster is up: `run` brings it up if it must, and then takes it down again."""

import signal
import subprocess
from collections.abc import Callable, Sequence
from types import FrameType

from embedded_cluster.cluster import find
from embedded_cluster.layout import Layout


def run_on_cluster(layout: Layout, command: Sequence[str], *, up: Callable[[], int], down: Callable[[], int]) -> int:
    """The exit status of `command`. A cluster that ran before runs afterwards; signals go on to the command."""
    ran_before = find(layout.name) is not None
    try:
        up()
        return _run(command)
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
