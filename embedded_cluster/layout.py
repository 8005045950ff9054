"""The paths of a cluster's files: state below /var/lib, sockets below /run, builds in the user's cache."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from acceptance.text.errors import WrongUsage

PACKAGE = Path(__file__).parent
STATE_ROOT = Path("/var/lib/storage-acceptance")
RUN_ROOT = Path("/run/storage-acceptance")

# Every process of a cluster has its name in this variable, by which `down` finds processes without a record.
MARKER = "STORAGE_ACCEPTANCE_CLUSTER"

# The name is part of unix socket paths, which end at 107 bytes.
_NAME = re.compile(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?")


def is_name(text: str) -> bool:
    """Return whether the text can be the name of a cluster."""
    return _NAME.fullmatch(text) is not None


def cache_folder() -> Path:
    """Return the folder for builds and images, shared by all checkouts of this user."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "storage-acceptance"


@dataclass(frozen=True)
class Layout:
    """The paths and host-wide names that belong to the cluster `name`."""

    name: str

    def __post_init__(self) -> None:
        """Raise WrongUsage for a name that is no short DNS label."""
        if not is_name(self.name):
            raise WrongUsage(
                f"{self.name!r} is not a cluster name: expected 1 to 20 characters of a-z, 0-9 and '-', starting with "
                "a letter and not ending with '-'"
            )

    @property
    def state(self) -> Path:
        return STATE_ROOT / self.name

    @property
    def run(self) -> Path:
        return RUN_ROOT / self.name

    @property
    def state_file(self) -> Path:
        return self.state / "state.json"

    @property
    def pki(self) -> Path:
        return self.state / "pki"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def kubeconfig(self) -> Path:
        return self.state / "admin.kubeconfig"

    @property
    def gluster(self) -> Path:
        return self.state / "gluster"

    @property
    def gluster_socket(self) -> Path:
        return self.run / "gluster" / "cli.sock"

    @property
    def disks(self) -> Path:
        """The folder of all replicas, and of etcd's data; a file system of its own if disks are in memory."""
        return self.state / "disks"

    @property
    def local(self) -> Path:
        """The folder of all nodes' `local-path` volumes; a file system of its own if disks are in memory."""
        return self.state / "local"

    @property
    def local_image(self) -> Path:
        """The file behind that file system."""
        return self.state / "local-disk" / "image"

    @property
    def replicated_mount(self) -> Path:
        """The mount point of the replicated file system, on the host and for all nodes."""
        return self.state / "replicated"

    @property
    def csi(self) -> "CsiLayout":
        return CsiLayout(cluster=self)

    @property
    def ceph(self) -> Path:
        """The data of Ceph's daemons, if the cluster has Ceph, and the files with which its clients reach them."""
        return self.state / "ceph"

    @property
    def cephfs(self) -> Path:
        """The mount point of Ceph's file system, on the host and for all nodes."""
        return self.state / "cephfs"

    @property
    def rbd_socket(self) -> Path:
        """The socket of the program that shows Ceph's block devices as files, if the cluster has them."""
        return self.run / "rbd.sock"

    @property
    def cgroup(self) -> str:
        """The cgroup of everything in this cluster, below the root of each hierarchy."""
        return f"storage-acceptance/{self.name}"

    @property
    def bridge(self) -> str:
        """The pod bridge; interface names end at 15 characters, so it is a digest of the name."""
        return f"sab-{hashlib.sha256(self.name.encode()).hexdigest()[:10]}"

    @property
    def services_link(self) -> str:
        """The bridge's link to the station through which traffic to services goes, if any services lead somewhere."""
        return f"sas-{self.bridge.removeprefix('sab-')}"

    @property
    def cni_network(self) -> str:
        return f"storage-acceptance-{self.name}"

    def simulated_node(self, number: int) -> str:
        """Return the name of a simulated node; the first has number 1. It has nothing on the host."""
        return f"{self.name}-simulated-{number}"

    def node(self, number: int) -> "NodeLayout":
        return NodeLayout(cluster=self, number=number)


@dataclass(frozen=True)
class CsiLayout:
    """The paths of the lab's CSI driver, if the cluster has it."""

    cluster: Layout

    @property
    def programs(self) -> Path:
        """Links to the driver and its sidecars, which show the build that runs."""
        return self.cluster.state / "csi" / "bin"

    @property
    def pool(self) -> Path:
        """The folder of all volumes and snapshots."""
        return self.cluster.state / "csi" / "pool"

    @property
    def volumes(self) -> Path:
        """The files behind the loop devices of volumes."""
        return self.pool / "volumes"

    @property
    def staging(self) -> Path:
        """The parent of a folder for each raw block volume in use, with a file for each node that has it."""
        return self.pool / "staged"

    @property
    def frozen(self) -> Path:
        """The folder in which the controller mounts file systems while it has them frozen."""
        return self.pool / "frozen"

    @property
    def interrupted(self) -> Path:
        """The file that has the controller interrupt all file systems, as long as the file exists."""
        return self.pool / "interrupted"

    @property
    def stands_still(self) -> Path:
        """The file with which the controller shows that all of them are interrupted."""
        return self.pool / "stands-still"

    @property
    def socket(self) -> Path:
        """The controller's socket."""
        return self.cluster.run / "csi.sock"


@dataclass(frozen=True)
class NodeLayout:
    """The paths of one node; the folder is its number, not its name, to keep socket paths short."""

    cluster: Layout
    number: int

    @property
    def name(self) -> str:
        return f"{self.cluster.name}-node-{self.number}"

    @property
    def state(self) -> Path:
        return self.cluster.state / "nodes" / str(self.number)

    @property
    def run(self) -> Path:
        return self.cluster.run / str(self.number)

    @property
    def containerd_socket(self) -> Path:
        return self.run / "containerd.sock"

    @property
    def csi_socket(self) -> Path:
        """The socket of the lab's CSI driver on this node, if the cluster has it."""
        return self.run / "csi.sock"

    @property
    def volumes(self) -> Path:
        """The folder of the node's `local-path` volumes."""
        return self.cluster.local / str(self.number)

    @property
    def brick(self) -> Path:
        """The node's third of the replicated volume."""
        return self.cluster.disks / f"brick-{self.number}"

    @property
    def longhorn(self) -> Path:
        """The node's /var/lib/longhorn, if the cluster has Longhorn: its replicas are there."""
        return self.state / "longhorn"

    @property
    def longhorn_devices(self) -> Path:
        """The folder in which the adaptor records the block devices that it has created."""
        return self.longhorn / "block-devices" / "devices"

    @property
    def cgroup(self) -> str:
        return f"{self.cluster.cgroup}/node-{self.number}"
