"""The driver that rebuilds the replicas of a class: that of the target file, or the one for the class's provisioner."""

from __future__ import annotations

import re

from acceptance.cluster.api import Api
from acceptance.results.clusters import StorageClass
from acceptance.settings.target_file import LONGHORN_DRIVER, CephTarget, CommandTarget, LonghornTarget
from acceptance.text.errors import NotTried
from acceptance.trials.rebuild.ceph_driver import CephDriver
from acceptance.trials.rebuild.command_driver import CommandDriver
from acceptance.trials.rebuild.driver import RebuildDriver
from acceptance.trials.rebuild.longhorn_driver import LonghornDriver

CEPH = re.compile(r"(.*\.)?(rbd|cephfs)\.csi\.ceph\.com")
DRIVERS = (
    f"longhorn (by default, for {LONGHORN_DRIVER}), ceph (Rook; if a target file names it) and command (any system; "
    "if a target file names it): --storage-target FILE, see docs/rebuild.md"
)
Target = CommandTarget | LonghornTarget | CephTarget


def choose_driver(
    api: Api, storage_class: StorageClass, *, target: Target | None, timeout_s: float, move_timeout_s: float
) -> RebuildDriver:
    """Return the driver for the class; `target`: that of the target file, or that of the embedded cluster for its own
    class.

    `timeout_s`: for an object to be deleted; `move_timeout_s`: for data to be moved, and for what a rebuild leaves
    behind.

    Raises NotTried, naming the drivers that exist, if there is none for the class.
    """
    if isinstance(target, CommandTarget):
        return CommandDriver(target.plan)
    if isinstance(target, CephTarget):
        return CephDriver(
            api, namespace=target.namespace, toolbox=target.toolbox, osd=target.osd, move_timeout_s=move_timeout_s
        )
    if isinstance(target, LonghornTarget) or storage_class.provisioner == LONGHORN_DRIVER:
        longhorn = target or LonghornTarget()
        return LonghornDriver(
            api,
            storage_class,
            namespace=longhorn.namespace,
            trigger=longhorn.trigger,
            timeout_s=timeout_s,
            move_timeout_s=move_timeout_s,
        )
    if CEPH.fullmatch(storage_class.provisioner):
        raise NotTried(
            f"capability 'rebuild driver': StorageClass {storage_class.name} belongs to Ceph: to rebuild a "
            "replica the suite must take an OSD out, which moves the data of all users of that OSD; a target file "
            "must allow this (driver: ceph, may_move_other_data: true): --storage-target FILE, see docs/rebuild.md"
        )
    raise NotTried(
        f"capability 'rebuild driver': none for StorageClass {storage_class.name} (provisioner "
        f"{storage_class.provisioner}); available: {DRIVERS}"
    )
