"""Stops and starts the kubelet of one node of a running cluster while its pods run on, and lists mounts there."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from embedded_cluster import cgroups, mount_namespaces, processes
from embedded_cluster.layout import Layout
from embedded_cluster.locking import cluster_lock
from embedded_cluster.node_control import node_of
from embedded_cluster.waiting import NotYet, wait_for


def stop_kubelet(name: str, node: str) -> None:
    """Kill the kubelet of `node` in cluster `name`, and nothing else. Raise as `stop_node` does."""
    layout = Layout(name)
    with cluster_lock(layout):
        target = node_of(layout, node)

        def kill_kubelet() -> None:
            pids = cgroups.members(f"{layout.cgroup}/daemons/{target.kubelet}")
            processes.kill(pids)
            if pids:
                raise NotYet(f"processes {sorted(pids)}")

        wait_for(f"the kubelet of {node} to end", kill_kubelet, timeout=20)


def start_kubelet(name: str, node: str) -> None:
    """Start it again, if it does not run. Raise as `start_node` does."""
    layout = Layout(name)
    with cluster_lock(layout):
        target = node_of(layout, node)
        if target.daemons.running(target.kubelet) is None:
            target.start_kubelet(layout.state / "bin" / "kubelet")
            target.wait_for_kubelet()


def cut_off(name: str, node: str) -> None:
    """Stop the kubelet of `node`: the node then counts as lost, and its pods live on. Raise as `stop_node` does."""
    _signal_kubelet(name, node, signal.SIGSTOP)


def let_rejoin(name: str, node: str) -> None:
    """Let the kubelet continue. No error if it does. Raise as `stop_node` does."""
    _signal_kubelet(name, node, signal.SIGCONT)


def _signal_kubelet(name: str, node: str, number: signal.Signals) -> None:
    layout = Layout(name)
    with cluster_lock(layout):
        for pid in cgroups.members(f"{layout.cgroup}/daemons/{node_of(layout, node).kubelet}"):
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def mounts_of(name: str, node: str, volume: str) -> list[str]:
    """Return the places where the node has mounts whose path, or whose source, contains the volume's name."""
    target = node_of(Layout(name), node)
    holder = mount_namespaces.holder_of_node(target.layout.number)
    namespace = mount_namespaces.namespace_of(target.daemons, holder)
    lines = Path(f"/proc/{namespace.holder}/mountinfo").read_text(encoding="utf-8").splitlines()
    return sorted({line.split()[4] for line in lines if volume in line})


def kubelet_commands(*, name: str) -> dict[str, list[str]]:
    """Return the commands of a target file that stop and start a kubelet of the cluster `name`, and show mounts."""
    command = [sys.executable, "-m", "embedded_cluster"]
    return {
        "stop": [*command, "kubelet-stop", "--name", name, "{node}"],
        "start": [*command, "kubelet-start", "--name", name, "{node}"],
        "mounted": [*command, "node-mounts", "--name", name, "{node}", "{volume}"],
    }
