"""The kernel settings that clusters change on their host, restored with the removal of the last one."""

import contextlib
import json
from pathlib import Path

from embedded_cluster.layout import RUN_ROOT
from embedded_cluster.locking import host_lock

_SETTINGS = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)
# Files are watched by 27 instances in a cluster of three nodes, and 128 is the kernel's own bound.
_WATCHES = "fs/inotify/max_user_instances"
_ENOUGH_WATCHES = 1024
_RECORD = RUN_ROOT / ".sysctls.json"


def prepare() -> None:
    """Record the settings as they are, and allow as many watches of files as several clusters need.

    An existing record is from before the first cluster, and stays.
    """
    with host_lock("sysctls"):
        if _RECORD.exists():
            return
        paths = {name: Path("/proc/sys", name) for name in (*_SETTINGS, _WATCHES)}
        _RECORD.write_text(
            json.dumps({name: path.read_text().strip() for name, path in paths.items() if path.exists()})
        )
        watches = paths[_WATCHES]
        with contextlib.suppress(OSError):  # No permission to set it; the present value is enough for one cluster.
            if int(watches.read_text()) < _ENOUGH_WATCHES:
                watches.write_text(str(_ENOUGH_WATCHES))


def restore() -> None:
    """Restore the settings if no cluster is left on this host."""
    with host_lock("sysctls"):
        if not _RECORD.exists() or any(path.is_dir() for path in RUN_ROOT.iterdir()):
            return
        for name, value in json.loads(_RECORD.read_text()).items():
            with contextlib.suppress(OSError):  # No permission to set it, so the kubelet could not change it either.
                Path("/proc/sys", name).write_text(value)
        _RECORD.unlink()
