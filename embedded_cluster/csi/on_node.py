"""The lab's CSI driver on one node: the driver itself, in the node's mount namespace, and what registers it."""

from dataclasses import dataclass
from pathlib import Path

from embedded_cluster import mount_namespaces, mount_points
from embedded_cluster.layout import NodeLayout
from embedded_cluster.processes import Daemons

DRIVER, REGISTRAR = "csi-driver", "node-driver-registrar"
_PLUGINS = "plugins_registry"
"""where a kubelet looks for plugins, below its folder"""


def components(node: NodeLayout) -> tuple[str, str]:
    """The names of both processes of a node."""
    return f"{DRIVER}-{node.number}", f"csi-registrar-{node.number}"


@dataclass(frozen=True)
class NodeDriver:
    """What a node has of the driver. It ends with the node, and is started again with it."""

    layout: NodeLayout
    daemons: Daemons

    def start(self) -> None:
        """Start what does not run; the node's mount namespace must be there.

        The kubelet finds it, whichever is there first. Raises EnvironmentFailure where a process ends at once.
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
        namespace = mount_namespaces.held(self.daemons, mount_namespaces.holder_of_node(self.layout.number))
        for component, command in ((driver, serve), (registrar, register)):
            if self.daemons.running(component) is None:
                self.daemons.start(component, namespace.inside(command))
