"""A process of the embedded cluster, killed and started again with the same words, as a crash or an upgrade does."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.mount_namespaces import holder_of_node, namespace_of
from embedded_cluster.processes import Daemons, is_running
from embedded_cluster.state import read_state
from embedded_cluster.waiting import wait_for

API_SERVER = "kube-apiserver"
# A component whose port is taken ends within the first.
STAYS_S, STARTS = 1.5, 20
READY_S = 90


@contextmanager
def stopped(cluster: str, component: str) -> Iterator[None]:
    """Without the component for as long as the block; its words and environment are as before then."""
    words = _kill(cluster, component)
    try:
        yield
    finally:
        _start(cluster, component, words)


def restart(cluster: str, component: str, *, down_s: float, more: Sequence[str] = ()) -> None:
    """Kill it and start it again so long after, with `more` words at the end."""
    words = _kill(cluster, component)
    time.sleep(down_s)
    _start(cluster, component, [*words, *more])


@contextmanager
def with_words(cluster: str, component: str, *more: str) -> Iterator[None]:
    """The component with more words at its end for as long as the block."""
    words = _kill(cluster, component)
    _start(cluster, component, [*words, *more])
    try:
        _wait_for_roles(cluster)
        yield
    finally:
        _kill(cluster, component)
        _start(cluster, component, words)
        _wait_for_roles(cluster)


def kubelet_of(node: str) -> str:
    """The component that is the kubelet of a node, `<cluster>-node-2` or the like."""
    return f"kubelet-{node.rpartition('-')[2]}"


def _wait_for_roles(cluster: str) -> None:
    """An API server that started a moment ago has not read its roles yet: to all but administrators it says 403."""
    wait_for("the API server to be ready", Kubectl.of(Layout(cluster)).require_ready, timeout=READY_S)


def _kill(cluster: str, component: str) -> list[str]:
    """The words that it ran with."""
    state = read_state(Layout(cluster))
    assert state is not None
    (record,) = [process for process in state.processes if process.component == component]
    words = Path(f"/proc/{record.pid}/cmdline").read_text().rstrip("\0").split("\0")
    os.kill(record.pid, signal.SIGKILL)
    while is_running(record):
        time.sleep(0.05)
    return words


def _where_it_ran(daemons: Daemons, component: str, words: Sequence[str]) -> Sequence[str | Path]:
    """The words that start it in the mount namespace of its node, if it is a node's."""
    part, _, number = component.rpartition("-")
    return namespace_of(daemons, holder_of_node(int(number))).inside(words) if part == "kubelet" else words


def _start(cluster: str, component: str, words: Sequence[str]) -> None:
    """Start it until it stays: a client that looked for it meanwhile may have come to hold its port itself."""
    layout = Layout(cluster)
    for _ in range(STARTS):
        state = read_state(layout)
        assert state is not None
        daemons = Daemons(layout=layout, state=state)
        daemons.start(component, _where_it_ran(daemons, component, words))
        time.sleep(STAYS_S)
        if daemons.running(component) is not None:
            return
    raise EnvironmentFailure(f"{component} does not stay: {daemons.last_words(component)}")
