"""The embedded cluster: real upstream Kubernetes as plain processes on this host, no Docker.

Run by `python -m acceptance.embedded up|down|status|kubeconfig`. Importing this package is cheap and needs no root.
"""

from acceptance.embedded.cluster import EmbeddedCluster, find
from acceptance.embedded.cpu_latency import held_low
from acceptance.embedded.node_control import node_failure_commands, start_node, stop_node
from acceptance.embedded.replica import rebuild_commands

__all__ = [
    "EmbeddedCluster",
    "find",
    "held_low",
    "node_failure_commands",
    "rebuild_commands",
    "start_node",
    "stop_node",
]
