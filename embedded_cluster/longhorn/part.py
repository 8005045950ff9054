"""Longhorn as a part of a cluster: `up --with longhorn` builds it, installs it, waits for it, and `status` shows it."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import check, service_programs, services
from embedded_cluster.control_plane import ControlPlane
from embedded_cluster.csi import group_snapshots
from embedded_cluster.csi.registration import nodes_with
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.longhorn import images, programs, readiness
from embedded_cluster.node import Node
from embedded_cluster.progress import step
from embedded_cluster.stand_ins import tell
from embedded_cluster.state import LoadedImages
from embedded_cluster.waiting import NotYet, wait_for

NAMESPACE = "longhorn-system"
# XFS is at least 300 MiB.
CLASSES = {"longhorn": "320Mi", "longhorn-2": "320Mi", "longhorn-strict-local": "320Mi"}
"""The StorageClasses, with the size of the smallest volume that they create."""
STAND_INS = (
    "in place of iSCSI: longhorn-adaptor (FUSE and a loop device over the engine's socket)",
    "written for this cluster, not Longhorn's: tgtd, tgtadm, iscsiadm, node-driver-registrar, livenessprobe, "
    "grpc_health_probe",
    "written for this cluster, not Longhorn's: the v2 data engine, which is never called",
)
"""The parts that are not Longhorn's or Kubernetes' own here: `status` shows them, and so do reports of runs."""

# Time to create, attach, write to and delete a volume of each class on a busy machine.
_VOLUMES_S = 180
_READY_S = 300
_MANIFESTS = ("rights.yaml", "system.yaml", "snapshots.yaml", "classes.yaml")
_OF_NAMESPACE = f"--namespace={NAMESPACE}"


@dataclass(frozen=True)
class Longhorn:
    """The builds of it: its programs, their image archive, the programs of its services, and substitutes."""

    programs: programs.Programs
    archive: Path
    services: service_programs.ServicePrograms
    group_definitions: tuple[Path, ...]


def ensure() -> Longhorn:
    """Return all of it, from the cache or built now (about 20 minutes on 2 cores the first time).

    Raises EnvironmentFailure if a build fails.
    """
    own_programs = programs.ensure()
    return Longhorn(
        programs=own_programs,
        archive=images.archive(own_programs),
        services=service_programs.ensure(),
        group_definitions=group_snapshots.definitions(),
    )


def start(part: Longhorn, *, control_plane: ControlPlane, kubectl: Kubectl, nodes: Sequence[Node], image: str) -> None:
    """Start Longhorn on nodes that are Ready, and have a pod with `image` write to a volume of each of its classes.

    Raises EnvironmentFailure naming what does not get ready, or the process that ended.
    """
    daemons, names = control_plane.daemons, [node.layout.name for node in nodes]
    with ThreadPoolExecutor(max_workers=len(nodes)) as pool, step("Longhorn's images on the nodes"):
        loads = [pool.submit(node.load, part.archive) for node in nodes]
        with step("services and their names"):
            services.start(control_plane, programs=part.services, kubectl=kubectl, node=names[0])
        for load in loads:
            load.result()
    daemons.note_images(LoadedImages(archive=str(part.archive), images=tuple(images.NAMES.values())))
    with step("Longhorn ready on all nodes"):
        _install(part, kubectl=kubectl)
        _wait(kubectl, nodes=names, alive=lambda: services.require_alive(daemons))
    with step("a pod writes to a volume of each of Longhorn's classes"):
        check.prove_storage(kubectl, image=image, classes=CLASSES, timeout=_VOLUMES_S)


def _install(part: Longhorn, *, kubectl: Kubectl) -> None:
    """Create Longhorn's objects and classes; its managers create all that follows."""
    kubectl.define((*part.programs.crds, *part.group_definitions))
    kubectl.apply("snapshot-controller.yaml")
    for manifest in _MANIFESTS:
        kubectl.apply(f"longhorn/{manifest}", version=part.programs.version, group_gate=group_snapshots.GATE)
    tell(kubectl, stand_ins())


def _wait(kubectl: Kubectl, *, nodes: Collection[str], alive: Callable[[], None]) -> None:
    """Wait until volumes can be created and used on all nodes; raise what `alive` raises for a process that ended."""

    def ready() -> None:
        alive()
        if problems := readiness.lacking(_look(kubectl), nodes=nodes):
            raise NotYet("; ".join(problems))

    wait_for("Longhorn to be ready", ready, timeout=_READY_S, interval=1)


def stand_ins() -> list[str]:
    """Return the parts that are not Longhorn's own, a line each, as the suite reads them."""
    return [f"Longhorn, {line}" for line in STAND_INS]


def describe(kubectl: Kubectl, *, nodes: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the lines that `status` shows of it, and its problems.

    Raises EnvironmentFailure if the API server does not answer.
    """
    objects = _look(kubectl)
    ready = [name for name in readiness.ready_nodes(objects.nodes) if name in nodes]
    engines = [
        f"{engine_image['spec']['image']} {engine_image.get('status', {}).get('state')}"
        for engine_image in objects.engine_images
    ]
    node_names = nodes_with(readiness.DRIVER, objects.csi_nodes)
    driver = [name for name in nodes if name in node_names]
    lines = [
        f"longhorn    nodes ready: {', '.join(ready) or 'none'}",
        f"longhorn    engine image: {', '.join(engines) or 'none'}",
        f"longhorn    {readiness.DRIVER} on {len(driver)} of {len(nodes)} nodes",
        *(f"longhorn    {line}" for line in STAND_INS),
    ]
    return lines, readiness.lacking(objects, nodes=nodes)


def _look(kubectl: Kubectl) -> readiness.Observation:
    try:
        return readiness.Observation(
            nodes=kubectl.get("nodes.longhorn.io", _OF_NAMESPACE),
            engine_images=kubectl.get("engineimages.longhorn.io", _OF_NAMESPACE),
            csi_nodes=kubectl.get("csinodes"),
            deployments=kubectl.get("deployments", _OF_NAMESPACE),
            pods=kubectl.get("pods", _OF_NAMESPACE),
        )
    except EnvironmentFailure as error:
        raise EnvironmentFailure(f"Longhorn's objects cannot be read: {error}") from None
