"""The kubelet of one node of a running cluster, stopped and started while its pods run on; what is mounted there."""

import sys
from pathlib import Path

from embedded_cluster import cgroups, mount_namespaces, processes
from embedded_cluster.layout import Layout
from embedded_cluster.locking import cluster_lock
from embedded_cluster.node_control import node_of
from embedded_cluster.waiting import NotYet, wait_for


def stop_kubelet(name: str, node: str) -> None:
    """Kill the kubelet of `node` in cluster `name`, and nothing else. Raises as `stop_node` does."""
    layout = Layout(name)
    with cluster_lock(layout):
        target = node_of(layout, node)

        def ended() -> None:
            found = cgroups.members(f"{layout.cgroup}/daemons/{target.kubelet}")
            processes.kill(found)
            if found:
                raise NotYet(f"processes {sorted(found)}")

        wait_for(f"the kubelet of {node} to end", ended, timeout=20)


def start_kubelet(name: str, node: str) -> None:
    """Start it again, where it does not run. Raises as `start_node` does."""
    layout = Layout(name)
    with cluster_lock(layout):
        target = node_of(layout, node)
        if target.daemons.running(target.kubelet) is None:
            target.start_kubelet(layout.state / "bin" / "kubelet")
            target.wait_for_kubelet()


def mounts_of(name: str, node: str, volume: str) -> list[str]:
    """Where the node has mounts in whose path, or in whose source, there is the volume's name."""
    target = node_of(Layout(name), node)
    holder = mount_namespaces.holder_of_node(target.layout.number)
    held = mount_namespaces.held(target.daemons, holder)
    lines = Path(f"/proc/{held.holder}/mountinfo").read_text(encoding="utf-8").splitlines()
    return sorted({line.split()[4] for line in lines if volume in line})


def kubelet_commands(*, name: str) -> dict[str, list[str]]:
    """The commands of a target file that stop and start a kubelet of the cluster `name`, and show mounts."""
    command = [sys.executable, "-m", "embedded_cluster"]
    return {
        "stop": [*command, "kubelet-stop", "--name", name, "{node}"],
        "start": [*command, "kubelet-start", "--name", name, "{node}"],
        "mounted": [*command, "node-mounts", "--name", name, "{node}", "{volume}"],
    }
