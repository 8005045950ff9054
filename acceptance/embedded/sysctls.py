"""The kernel settings that a kubelet changes on its host, put back when the last cluster goes."""

import contextlib
import json
from pathlib import Path

from acceptance.embedded.layout import RUN_ROOT
from acceptance.embedded.locking import host_lock

_SETTINGS = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)
_RECORD = RUN_ROOT / ".sysctls.json"


def remember() -> None:
    """Record the settings as they are; a record that is there is of before the first cluster, and stays."""
    with host_lock("sysctls"):
        if _RECORD.exists():
            return
        found = {name: Path("/proc/sys", name) for name in _SETTINGS}
        _RECORD.write_text(
            json.dumps({name: path.read_text().strip() for name, path in found.items() if path.exists()})
        )


def restore() -> None:
    """Put the settings back if no cluster is left on this host."""
    with host_lock("sysctls"):
        if not _RECORD.exists() or any(path.is_dir() for path in RUN_ROOT.iterdir()):
            return
        for name, value in json.loads(_RECORD.read_text()).items():
            with contextlib.suppress(OSError):  # Not ours to set, so the kubelet could not change it either.
                Path("/proc/sys", name).write_text(value)
        _RECORD.unlink()
