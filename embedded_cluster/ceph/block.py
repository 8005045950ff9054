"""RBD, Ceph's block devices, for the lab's CSI driver: a pool, and the program that shows images of it as files.

A kernel with RBD creates devices of the images. Others need loop devices, and files for these.
"""

from embedded_cluster import priority
from embedded_cluster.ceph.configuration import RBD_GROUPS, RBD_POOL
from embedded_cluster.ceph.servers import Ceph
from embedded_cluster.waiting import NotYet, wait_for

PROGRAMS = {"qemu-system-common": "qemu-storage-daemon", "qemu-block-extra": "/usr/lib/*/qemu/block-rbd.so"}
"""Debian's packages, with a file of each."""
CLASS = "rbd"
CLASSES = {CLASS: "320Mi"}
"""The StorageClass, with the size of the smallest volume that it creates: XFS is at least 300 MiB."""
EXPORTER = "rbd-exporter"
STAND_INS = (
    "RBD is provisioned by the lab's CSI driver: no ceph-csi",
    "RBD is one client on the host for all nodes, qemu-storage-daemon, with loop devices over the files that it shows: "
    "not the kernel's own",
)
"""The differences from other clusters with RBD."""


def start(ceph: Ceph) -> None:
    """Create the pool and start the exporter of a running Ceph. Raise EnvironmentFailure with their output."""
    ceph.command("osd", "pool", "create", RBD_POOL, str(RBD_GROUPS))
    ceph.command("osd", "pool", "application", "enable", RBD_POOL, "rbd")
    ceph.wait_until_whole()
    socket = ceph.layout.rbd_socket
    control = f"socket,id=control,path={socket},server=on,wait=off"
    command = ["qemu-storage-daemon", "--chardev", control, "--monitor", "chardev=control"]
    ceph.daemons.start(EXPORTER, [*priority.FIRST, *command])

    def listens() -> None:
        ceph.daemons.require_alive(EXPORTER)
        if not socket.is_socket():
            raise NotYet(f"{socket} does not exist")

    wait_for("qemu-storage-daemon to listen", listens, timeout=30)
    priority.go_first(ceph.layout, [EXPORTER])
