"""The embedded cluster's API server, killed and started again, as an upgrade or a crash would."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from acceptance.embedded.layout import Layout
from acceptance.embedded.processes import Daemons, is_running
from acceptance.embedded.state import read_state

COMPONENT = "kube-apiserver"


def restart_api_server(cluster: str, *, down_s: float) -> None:
    """Kill it, and start it again with the same words so long after."""
    layout = Layout(cluster)
    state = read_state(layout)
    assert state is not None
    (record,) = [each for each in state.processes if each.component == COMPONENT]
    words = Path(f"/proc/{record.pid}/cmdline").read_text().rstrip("\0").split("\0")
    os.kill(record.pid, signal.SIGKILL)
    while is_running(record):
        time.sleep(0.05)
    time.sleep(down_s)
    Daemons(layout=layout, state=state).start(COMPONENT, words)
