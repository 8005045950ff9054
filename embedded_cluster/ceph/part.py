"""Ceph as a part of a cluster: `up --with ceph` installs Debian's, starts it, makes its class; `status` shows it."""

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import packages
from embedded_cluster.ceph import readiness
from embedded_cluster.ceph.configuration import OSDS
from embedded_cluster.ceph.servers import Ceph, components
from embedded_cluster.commands import run
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.stand_ins import tell
from embedded_cluster.state import ClusterState
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
"""Debian's packages, with a program of each"""
CLASS = "cephfs"
CLASSES = {CLASS: "1Mi"}
"""the StorageClass, with the size of the smallest volume that it makes"""
NAMESPACE, TOOLBOX = "rook-ceph", "app=rook-ceph-tools"
"""where the toolbox pod is, and its label: those that Rook has"""
STAND_INS = (
    "volumes are folders of one file system, mounted once on the host by ceph-fuse and made by local-path-provisioner: "
    "no ceph-csi",
    "no Rook: the daemons are processes of the host, and the toolbox pod runs the host's `ceph`",
)
"""what is not as in other clusters with Ceph: `status` shows it, and reports of runs do"""

_TOOLBOX_S = 120.0


def ensure() -> None:
    """Have Debian's packages. Raises EnvironmentFailure where they cannot be had."""
    packages.ensure(PROGRAMS)


def install(kubectl: Kubectl, *, layout: Layout, image: str) -> None:
    """Create the class, and the toolbox pod in which `ceph` is run."""
    version = run(["ceph-fuse", "--version"]).split()[2]
    kubectl.apply("ceph/class.yaml", version=version)
    kubectl.apply("ceph/toolbox.yaml", image=image, client=str(layout.ceph / "client"))
    tell(kubectl, stand_ins())


def wait_for_toolbox(kubectl: Kubectl) -> None:
    """Wait until commands can be run in the toolbox pod. Raises EnvironmentFailure with the pod's state."""

    def running() -> None:
        pods = kubectl.get("pods", f"--namespace={NAMESPACE}", f"--selector={TOOLBOX}")
        ready = [pod for pod in pods if any(each.get("ready") for each in pod["status"].get("containerStatuses", []))]
        if not ready:
            raise NotYet(str([pod["status"] for pod in pods]))

    wait_for("Ceph's toolbox pod to run", running, timeout=_TOOLBOX_S, interval=0.5)


def stand_ins() -> list[str]:
    """What is not as elsewhere, a line each, as the suite reads it."""
    return [f"Ceph, {each}" for each in STAND_INS]


def described(layout: Layout, state: ClusterState) -> tuple[list[str], list[str]]:
    """The lines that `status` shows of it, and its problems."""
    ceph = Ceph(layout=layout, daemons=Daemons(layout=layout, state=state), address=state.gateway)
    try:
        status = ceph.status()
    except (EnvironmentFailure, ValueError) as error:
        return [], [f"Ceph does not answer: {error}"]
    lines = [
        f"ceph        {readiness.health(status)}",
        f"ceph        {len(components())} daemons on {state.gateway}, {OSDS} of them OSDs",
        *(f"ceph        {each}" for each in STAND_INS),
    ]
    return lines, [f"Ceph: {each}" for each in readiness.lacking(status, osds=OSDS)]
