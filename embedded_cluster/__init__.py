"""The embedded cluster: real upstream Kubernetes as plain processes on this host, no Docker.

Run by `storage-acceptance cluster up|down|status|kubeconfig`. Importing this package is cheap and needs no root.
"""

from embedded_cluster.cluster import EmbeddedCluster, find
from embedded_cluster.cpu_latency import held_low
from embedded_cluster.kubelet_control import kubelet_commands
from embedded_cluster.longhorn.pool import pool_commands
from embedded_cluster.node_control import node_failure_commands, shut_down_node, start_node, stop_node
from embedded_cluster.replica import rebuild_commands
from embedded_cluster.storage_control import disturbance_commands

__all__ = [
    "EmbeddedCluster",
    "disturbance_commands",
    "find",
    "held_low",
    "kubelet_commands",
    "node_failure_commands",
    "pool_commands",
    "rebuild_commands",
    "shut_down_node",
    "start_node",
    "stop_node",
]
