"""Ceph as a part of a cluster: `up --with ceph` installs Debian's, starts it, creates its class; `status` shows it."""

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import packages
from embedded_cluster.ceph import block, readiness
from embedded_cluster.ceph.configuration import OSDS
from embedded_cluster.ceph.servers import Ceph, components, places_of
from embedded_cluster.commands import run
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.stand_ins import tell
from embedded_cluster.state import CSI, ClusterState
from embedded_cluster.waiting import NotYet, wait_for

PROGRAMS = {
    "ceph-base": "monmaptool",
    "ceph-common": "ceph",
    "ceph-mon": "ceph-mon",
    "ceph-mgr": "ceph-mgr",
    "ceph-osd": "ceph-osd",
    "ceph-mds": "ceph-mds",
    "ceph-fuse": "ceph-fuse",
}
"""Debian's packages, with a program of each."""
CLASS = "cephfs"
CLASSES = {CLASS: "1Mi"}
"""The StorageClass that always exists, with the size of the smallest volume that it creates."""
NAMESPACE, TOOLBOX = "rook-ceph", "app=rook-ceph-tools"
"""The namespace of the toolbox pod, and its label, as Rook has them."""
STAND_INS = (
    "volumes are folders of one file system, mounted once on the host by ceph-fuse and created by "
    "local-path-provisioner: no ceph-csi",
    "no Rook: the daemons are processes of the host, and the toolbox pod runs the host's `ceph`",
)
"""The differences from other clusters with Ceph: `status` shows them, and so do reports of runs."""

_TOOLBOX_S = 120.0


def ensure(*, rbd: bool) -> None:
    """Install Debian's packages; `rbd`: also those for block devices. Raise EnvironmentFailure if there are none."""
    packages.ensure({**PROGRAMS, **(block.PROGRAMS if rbd else {})})


def start(daemons: Daemons, *, rbd: bool) -> None:
    """Start all of it; `rbd`: with block devices. Raise EnvironmentFailure with the output of Ceph."""
    ceph = Ceph(daemons=daemons)
    ceph.start()
    if rbd:
        block.start(ceph)


def driver_options(layout: Layout) -> tuple[str, ...]:
    """Return the options with which the controller of the lab's CSI driver creates block devices of Ceph."""
    return f"--ceph={places_of(layout).rbd}", f"--rbd-exporter={layout.rbd_socket}"


def install(kubectl: Kubectl, *, layout: Layout, image: str, rbd_driver: str | None) -> dict[str, str]:
    """Create the toolbox pod, in which `ceph` is run, and the classes, and return these as `CLASSES` has them.

    `rbd_driver`: the CSI driver that is to create block devices.
    """
    version = run(["ceph-fuse", "--version"]).split()[2]
    kubectl.apply("ceph/class.yaml", version=version)
    if rbd_driver:
        kubectl.apply("ceph/rbd.yaml", driver=rbd_driver)
    kubectl.apply("ceph/toolbox.yaml", image=image, client=str(layout.ceph / "client"))
    tell(kubectl, stand_ins(rbd=rbd_driver is not None))
    return CLASSES | (block.CLASSES if rbd_driver else {})


def wait_for_toolbox(kubectl: Kubectl) -> None:
    """Wait until commands can be run in the toolbox pod. Raise EnvironmentFailure with the pod's state."""

    def running() -> None:
        pods = kubectl.get("pods", f"--namespace={NAMESPACE}", f"--selector={TOOLBOX}")
        ready = [
            pod
            for pod in pods
            if any(container_status.get("ready") for container_status in pod["status"].get("containerStatuses", []))
        ]
        if not ready:
            raise NotYet(str([pod["status"] for pod in pods]))

    wait_for("Ceph's toolbox pod to run", running, timeout=_TOOLBOX_S, interval=0.5)


def stand_ins(*, rbd: bool) -> list[str]:
    """Return the differences from other clusters, a line each, as the suite reads them."""
    return [f"Ceph, {line}" for line in _not_as_elsewhere(rbd=rbd)]


def _not_as_elsewhere(*, rbd: bool) -> tuple[str, ...]:
    return STAND_INS + (block.STAND_INS if rbd else ())


def describe(layout: Layout, state: ClusterState) -> tuple[list[str], list[str]]:
    """Return the lines that `status` shows of it, and its problems."""
    ceph = Ceph(daemons=Daemons(layout=layout, state=state))
    try:
        status = ceph.status()
    except (EnvironmentFailure, ValueError) as error:
        return [], [f"Ceph does not answer: {error}"]
    lines = [
        f"ceph        {readiness.health(status)}",
        f"ceph        {len(components())} daemons on {state.gateway}, {OSDS} of them OSDs",
        *(f"ceph        {line}" for line in _not_as_elsewhere(rbd=CSI in state.parts)),
    ]
    return lines, [f"Ceph: {problem}" for problem in readiness.lacking(status, osds=OSDS)]
