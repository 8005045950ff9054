"""The host's folders that clusters replace by their own; created folders are removed with the last cluster."""

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
# Fixed places in GlusterFS: its state, its logs, its sockets.
GLUSTER_STATE = Path("/var/lib/glusterd")
GLUSTER_LOGS = Path("/var/log/glusterfs")
GLUSTER_SOCKETS = Path("/var/run/gluster")

_ALL = (KUBELET, CNI_RESULTS, SHIM_SOCKETS, CONTAINER_LOGS, GLUSTER_STATE, GLUSTER_LOGS, GLUSTER_SOCKETS)
# Not below /run: it must survive a reboot, as the folders do.
_RECORD = STATE_ROOT / ".mount-points.json"


def prepare(places: Iterable[Path] = _ALL) -> None:
    """Create the folders, and record those that were missing. Call this when the cluster's own folders exist."""
    with host_lock("mount-points"):
        folders = _read_record()
        for place in places:
            missing = [folder for folder in (place, *place.parents) if not folder.exists()]
            folders += [str(folder) for folder in reversed(missing)]
            _RECORD.write_text(json.dumps(folders))
            place.mkdir(parents=True, exist_ok=True)


def remove() -> None:
    """Remove the folders that were created, and are empty, if no cluster is left on this host.

    Not before: the kernel takes a mount away in all namespaces when its place is removed in one.
    """
    with host_lock("mount-points"):
        if not _RECORD.exists() or any(path.is_dir() for path in STATE_ROOT.iterdir()):
            return
        for folder in reversed(_read_record()):
            with contextlib.suppress(OSError):  # it was removed, or other processes use it now
                Path(folder).rmdir()
        _RECORD.unlink()
        with contextlib.suppress(OSError):
            STATE_ROOT.rmdir()


def _read_record() -> list[str]:
    try:
        folders: list[str] = json.loads(_RECORD.read_text())
    except (OSError, ValueError):
        return []
    return folders
