"""The folders of the host that clusters have something else in place of; those that were not there go with the last."""

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path

from embedded_cluster.layout import STATE_ROOT
from embedded_cluster.locking import host_lock

# Places that are fixed in the kubelet, its device plugins, the CNI library and containerd.
KUBELET = Path("/var/lib/kubelet")
CNI_RESULTS = Path("/var/lib/cni")
SHIM_SOCKETS = Path("/run/containerd")
CONTAINER_LOGS = Path("/var/log/containers")
# And in GlusterFS: its state, its logs, its sockets.
GLUSTER_STATE = Path("/var/lib/glusterd")
GLUSTER_LOGS = Path("/var/log/glusterfs")
GLUSTER_SOCKETS = Path("/var/run/gluster")

_ALL = (KUBELET, CNI_RESULTS, SHIM_SOCKETS, CONTAINER_LOGS, GLUSTER_STATE, GLUSTER_LOGS, GLUSTER_SOCKETS)
# Not below /run: it is to outlive a reboot, as the folders do.
_RECORD = STATE_ROOT / ".mount-points.json"


def prepare(places: Iterable[Path] = _ALL) -> None:
    """Have the folders, and a record of those that were not there. To be called when the cluster's own are there."""
    with host_lock("mount-points"):
        made = _made()
        for place in places:
            missing = [folder for folder in (place, *place.parents) if not folder.exists()]
            made += [str(folder) for folder in reversed(missing)]
            _RECORD.write_text(json.dumps(made))
            place.mkdir(parents=True, exist_ok=True)


def remove() -> None:
    """Remove the folders that were made, and are empty, if no cluster is left on this host.

    Not before: the kernel takes a mount away in all namespaces when its place is removed in one.
    """
    with host_lock("mount-points"):
        if not _RECORD.exists() or any(path.is_dir() for path in STATE_ROOT.iterdir()):
            return
        for folder in reversed(_made()):
            with contextlib.suppress(OSError):  # it was removed, or others use it now
                Path(folder).rmdir()
        _RECORD.unlink()
        with contextlib.suppress(OSError):
            STATE_ROOT.rmdir()


def _made() -> list[str]:
    try:
        made: list[str] = json.loads(_RECORD.read_text())
    except (OSError, ValueError):
        return []
    return made
