"""The lab's CSI driver as a part of a cluster: `up --with csi` starts it with real sidecars, and `status` shows it.

All are processes of the host, as the cluster's other provisioner is; so no service has to lead anywhere.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.control_plane import ControlPlane
from embedded_cluster.csi import driver, group_snapshots, on_node, sidecars
from embedded_cluster.csi.on_node import NodeDriver
from embedded_cluster.csi.registration import nodes_with
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.waiting import NotYet, wait_for

NAME = driver.NAME
CLASS = "csi-lab"
"""The name of the StorageClass, the VolumeSnapshotClass and the VolumeGroupSnapshotClass."""
CLASSES = {CLASS: "320Mi"}
"""The StorageClass, with the size of the smallest volume that it creates: XFS is at least 300 MiB."""
STAND_INS = "written for this cluster, not Kubernetes': node-driver-registrar"

CONTROLLER, SNAPSHOT_CONTROLLER = "csi-controller", "snapshot-controller"
_USERS = {CONTROLLER: "storage-acceptance:csi", SNAPSHOT_CONTROLLER: "storage-acceptance:snapshot-controller"}
"""The identities of the driver's sidecars, and of the snapshot controller."""

# A test would measure the defaults of 5 requests a second, and of pauses of up to five minutes.
_OFTEN = ("--kube-api-qps=300", "--kube-api-burst=600", "--retry-interval-max=10s")
_SIDECARS = {
    # All nodes have all volumes.
    "csi-provisioner": ("--feature-gates=Topology=false",),
    "csi-resizer": ("--feature-gates=VolumeAttributesClass=true",),
    "csi-snapshotter": (group_snapshots.GATE,),
}
_REGISTERED_S = 60


@dataclass(frozen=True)
class Csi:
    """The builds of the driver and its sidecars."""

    driver: Path
    sidecars: sidecars.Sidecars
    group_definitions: tuple[Path, ...]


def ensure() -> Csi:
    """Return all builds, from the cache or built now; raise EnvironmentFailure if a build fails."""
    return Csi(driver=driver.ensure(), sidecars=sidecars.ensure(), group_definitions=group_snapshots.definitions())


def start(
    part: Csi,
    *,
    control_plane: ControlPlane,
    kubectl: Kubectl,
    nodes: Sequence[NodeDriver],
    options: Sequence[str] = (),
) -> None:
    """Start it on nodes that have their mount namespaces, with its classes, and wait until all kubelets know it.

    `options`: further ones of the driver's controller.

    Raises EnvironmentFailure naming what ended, with the end of its log, or the node that lacks it.
    """
    layout, daemons = control_plane.layout, control_plane.daemons
    _link(part, layout)
    kubectl.define((*part.sidecars.crds, *part.group_definitions))
    kubectl.apply("snapshot-controller.yaml")
    users = {"sidecars": _USERS[CONTROLLER], "snapshot_controller": _USERS[SNAPSHOT_CONTROLLER]}
    kubectl.apply("csi.yaml", driver=driver.NAME, **{"class": CLASS}, **users)
    kubeconfigs = {name: control_plane.kubeconfig(name, common_name=user) for name, user in _USERS.items()}
    _start_controller(layout, daemons, options)
    for node in nodes:
        node.start()
    for component, command in commands(layout, kubeconfigs=kubeconfigs).items():
        daemons.start(component, command)
    names = [node.layout.name for node in nodes]
    components = [*controllers(), *(name for node in nodes for name in on_node.components(node.layout))]

    def check_registration() -> None:
        for component in components:
            daemons.require_alive(component)
        if problems := lacking(kubectl, nodes=names):
            raise NotYet("; ".join(problems))

    wait_for("the CSI driver to be registered on all nodes", check_registration, timeout=_REGISTERED_S, interval=0.5)


def _link(part: Csi, layout: Layout) -> None:
    layout.csi.programs.mkdir(parents=True)
    for name, program in {on_node.DRIVER: part.driver, **part.sidecars.paths}.items():
        (layout.csi.programs / name).symlink_to(program)


def _start_controller(layout: Layout, daemons: Daemons, options: Sequence[str]) -> None:
    """Start the driver's controller, and wait until it listens: its sidecars wait for it only for a while."""
    own = (f"--endpoint=unix://{layout.csi.socket}", f"--folder={layout.csi.pool}")
    daemons.start(CONTROLLER, [layout.csi.programs / on_node.DRIVER, *own, *options])

    def listens() -> None:
        daemons.require_alive(CONTROLLER)
        if not layout.csi.socket.is_socket():
            raise NotYet(f"{layout.csi.socket} does not exist")

    wait_for("the CSI driver to listen", listens, timeout=30)


def commands(layout: Layout, *, kubeconfigs: dict[str, Path]) -> dict[str, list[str | Path]]:
    """Return the commands of the sidecars and of the snapshot controller; `kubeconfigs`: of both identities."""
    csi = layout.csi
    of_driver = (f"--csi-address={csi.socket}", f"--kubeconfig={kubeconfigs[CONTROLLER]}")
    result: dict[str, list[str | Path]] = {
        name: [csi.programs / name, *of_driver, *_OFTEN, *options] for name, options in _SIDECARS.items()
    }
    own = f"--kubeconfig={kubeconfigs[SNAPSHOT_CONTROLLER]}"
    result[SNAPSHOT_CONTROLLER] = [csi.programs / SNAPSHOT_CONTROLLER, own, *_OFTEN, group_snapshots.GATE]
    return result


def controllers() -> tuple[str, ...]:
    """Return the processes that exist once, whatever the number of nodes."""
    return CONTROLLER, *_SIDECARS, SNAPSHOT_CONTROLLER


def lacking(kubectl: Kubectl, *, nodes: Collection[str]) -> list[str]:
    """Return what is not ready, in words; raise EnvironmentFailure if the API server does not answer."""
    there = nodes_with(driver.NAME, kubectl.get("csinodes"))
    return [f"{driver.NAME} is not registered on {name}" for name in nodes if name not in there]


def describe(kubectl: Kubectl, *, nodes: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the lines that `status` shows of it, and its problems; raise as `lacking` does."""
    problems = lacking(kubectl, nodes=nodes)
    registration = f"{driver.NAME} on {len(nodes) - len(problems)} of {len(nodes)} nodes"
    return [f"csi         {registration}", f"csi         {STAND_INS}"], problems
