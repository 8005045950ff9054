"""Breaks one node of a running cluster, and brings it back."""

import os
import signal
import sys
import time
from contextlib import suppress

from acceptance.text.errors import WrongUsage
from embedded_cluster import cgroups, loop_devices, processes
from embedded_cluster.csi import on_node
from embedded_cluster.csi.on_node import NodeDriver
from embedded_cluster.glusterfs import GlusterFS
from embedded_cluster.layout import Layout
from embedded_cluster.locking import cluster_lock
from embedded_cluster.node import Node
from embedded_cluster.processes import Daemons
from embedded_cluster.state import CSI, LONGHORN, ClusterState, read_state
from embedded_cluster.waiting import NotYet, wait_for

_GRACE_S, _POLL_S = 30.0, 0.1
"""The time that pods have to end when their node is shut down, and between two polls of them."""


def stop_node(name: str, node: str) -> None:
    """Kill all of `node` in cluster `name` as a power cut would: kubelet, containerd, pods, and its replica's brick.

    Stopping a stopped node is no error. Raises WrongUsage for a cluster that does not run or an unknown node.
    """
    layout = Layout(name)
    with cluster_lock(layout):
        target = node_of(layout, node)
        # The end of the last process removes all its mounts, over which a new containerd would stumble.
        wait_for(f"the processes of {node} to end", lambda: _kill(target), timeout=60)
        loop_devices.detach(lambda: loop_devices.of_node(target.layout))


def shut_down_node(name: str, node: str) -> None:
    """Ask all pods of `node` to end, as an orderly shutdown does, and then stop the node. Raise as `stop_node` does."""
    layout = Layout(name)
    with cluster_lock(layout):
        target = node_of(layout, node)
        # Otherwise the kubelet would start them again.
        processes.kill(cgroups.members(f"{layout.cgroup}/daemons/{target.kubelet}"))
        for pid in cgroups.members(target.layout.cgroup):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        ends_s = time.monotonic() + _GRACE_S
        while cgroups.members(target.layout.cgroup) and time.monotonic() < ends_s:
            time.sleep(_POLL_S)
        os.sync()
    stop_node(name, node)


def start_node(name: str, node: str) -> None:
    """Start a stopped node again, with the images, pods and replica it had; its replica is then brought up to date.

    Of a node that runs, or that was stopped in part, what runs is left alone.
    Raises WrongUsage as stop_node does, and EnvironmentFailure if a part does not come up.
    """
    layout = Layout(name)
    with cluster_lock(layout):
        target = node_of(layout, node)
        if target.daemons.running(target.containerd) is None:
            target.start_containerd()
        if target.daemons.running(target.kubelet) is None:
            target.start_kubelet(layout.state / "bin" / "kubelet")
            target.wait_for_kubelet()
        if CSI in target.daemons.state.parts:
            NodeDriver(layout=target.layout, daemons=target.daemons).start()
        files = GlusterFS(layout=layout, daemons=target.daemons, address=target.daemons.state.gateway)
        files.start_bricks()


def node_failure_commands(*, name: str) -> dict[str, list[str]]:
    """Return the commands of a target file that fail and restore a node of the cluster `name`."""
    command = [sys.executable, "-m", "embedded_cluster"]
    return {key: [*command, f"node-{key}", "--name", name, "{node}"] for key in ("fail", "restore")}


def node_of(layout: Layout, name: str) -> Node:
    """Return the node of that name. Raise WrongUsage for a cluster that does not run or an unknown node."""
    state = read_state(layout)
    if state is None:
        raise WrongUsage(f"no embedded cluster {layout.name} runs")
    nodes = {node.layout.name: node for node in _nodes(layout, state)}
    if name not in nodes:
        raise WrongUsage(f"cluster {layout.name} has no node {name!r}, but {', '.join(nodes)}")
    return nodes[name]


def _nodes(layout: Layout, state: ClusterState) -> list[Node]:
    daemons = Daemons(layout=layout, state=state)
    return [
        Node(
            layout=layout.node(number),
            daemons=daemons,
            address=address,
            snapshotter=state.snapshotter,
            longhorn=LONGHORN in state.parts,
        )
        for number, address in enumerate(state.node_addresses, start=1)
    ]


def _kill(node: Node) -> None:
    components = (node.containerd, node.kubelet, node.mounts, *on_node.components(node.layout))
    daemons = (f"{node.layout.cluster.cgroup}/daemons/{component}" for component in components)
    pids = set().union(*(cgroups.members(path) for path in (node.layout.cgroup, *daemons)))
    pids |= processes.with_argument(f"{node.layout.brick}/data")
    processes.kill(pids)
    if pids:
        raise NotYet(f"processes {sorted(pids)}")
