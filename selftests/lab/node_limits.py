"""A node of a cluster with the lab's CSI driver that says how many volumes it takes, as drivers of clouds do."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CSI_NODES
from acceptance.cluster.waiting import wait_for
from embedded_cluster.csi.driver import NAME
from embedded_cluster.csi.on_node import NodeDriver, components
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.state import read_state

_REGISTERED_S = 60


@contextmanager
def limited_node(api: Api, cluster: str, *, number: int, most: int) -> Iterator[str]:
    """The node of that number says that it takes `most` volumes until the block ends; its name."""
    node = Layout(cluster).node(number).name
    file = Layout(cluster).csi.pool / "most-volumes"
    file.write_text(f"{most}\n")
    try:
        _register_anew(api, cluster, number, wanted=most)
        yield node
    finally:
        file.unlink()
        _register_anew(api, cluster, number, wanted=None)


def _register_anew(api: Api, cluster: str, number: int, *, wanted: int | None) -> None:
    """A kubelet asks a driver for its limit when the driver is registered."""
    layout = Layout(cluster)
    state = read_state(layout)
    assert state is not None
    node = layout.node(number)
    daemons = Daemons(layout=layout, state=state)
    registrar = components(node)[1]
    if (pid := daemons.running(registrar)) is not None:
        os.kill(pid, signal.SIGKILL)
    wait_for(
        f"{registrar} to end",
        look=lambda: daemons.running(registrar),
        ready=lambda seen: seen is None,
        state=lambda seen: f"pid {seen}",
        timeout_s=_REGISTERED_S,
    )
    NodeDriver(layout=node, daemons=daemons).start()
    wait_for(
        f"{node.name} to say that it takes {wanted or 'any number of'} volumes",
        look=lambda: _limit(api, node.name),
        ready=lambda seen: seen == (True, wanted),
        state=str,
        timeout_s=_REGISTERED_S,
    )


def _limit(api: Api, node: str) -> tuple[bool, int | None]:
    """Whether the driver is registered there, and its limit."""
    drivers = api.get(CSI_NODES, node)["spec"].get("drivers") or []
    found = next((driver for driver in drivers if driver["name"] == NAME), None)
    return found is not None, ((found or {}).get("allocatable") or {}).get("count")
