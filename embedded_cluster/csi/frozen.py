"""File systems that the CSI driver's controller freezes while it copies them: thaws those of a killed controller."""

import contextlib
import fcntl
import os

from embedded_cluster import mounts
from embedded_cluster.layout import Layout

# <linux/fs.h>
_THAW = 0xC0045878


def thaw(layout: Layout) -> None:
    """Thaw all of them, because a process that waits to write to one cannot be killed. None to thaw is no error."""
    for path in mounts.below(layout.csi.frozen):
        with contextlib.suppress(OSError):  # it is not frozen, or no longer exists
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.ioctl(descriptor, _THAW, 0)
            finally:
                os.close(descriptor)
