"""The lab's CSI driver on one node: the driver itself, in the node's mount namespace, and its registrar."""

from dataclasses import dataclass
from pathlib import Path

from embedded_cluster import mount_namespaces, mount_points
from embedded_cluster.layout import NodeLayout
from embedded_cluster.processes import Daemons

DRIVER, REGISTRAR = "csi-driver", "node-driver-registrar"
_PLUGINS = "plugins_registry"
"""The folder in which a kubelet looks for plugins, below its own."""


def components(node: NodeLayout) -> tuple[str, str]:
    """Return the names of both processes of a node."""
    return f"{DRIVER}-{node.number}", f"csi-registrar-{node.number}"


@dataclass(frozen=True)
class NodeDriver:
    """The driver's processes on one node. They end with the node, and are started again with it."""

    layout: NodeLayout
    daemons: Daemons

    def start(self) -> None:
        """Start the processes that do not run; the node's mount namespace must exist.

        The kubelet finds them, whichever starts first. Raises EnvironmentFailure if a process ends immediately.
        """
        csi, (driver, registrar) = self.layout.cluster.csi, components(self.layout)
        (self.layout.state / "kubelet" / _PLUGINS).mkdir(parents=True, exist_ok=True)
        serve: list[str | Path] = [
            csi.programs / DRIVER,
            f"--endpoint=unix://{self.layout.csi_socket}",
            f"--folder={csi.pool}",
            f"--node={self.layout.name}",
            "--controller=false",
        ]
        register: list[str | Path] = [
            csi.programs / REGISTRAR,
            f"--csi-address={self.layout.csi_socket}",
            f"--kubelet-registration-path={self.layout.csi_socket}",
            f"--plugin-registration-path={mount_points.KUBELET / _PLUGINS}",
        ]
        namespace = mount_namespaces.namespace_of(self.daemons, mount_namespaces.holder_of_node(self.layout.number))
        for component, command in ((driver, serve), (registrar, register)):
            if self.daemons.running(component) is None:
                self.daemons.start(component, namespace.inside(command))
