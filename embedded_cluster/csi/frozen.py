"""File systems that the CSI driver's controller has frozen while it copies them: what a killed one left goes on."""

import contextlib
import fcntl
import os

from embedded_cluster import mounts
from embedded_cluster.layout import Layout

# <linux/fs.h>
_THAW = 0xC0045878


def thaw(layout: Layout) -> None:
    """Have all go on, for what waits to write to one cannot be killed. Nothing to do is no error."""
    for path in mounts.below(layout.csi.frozen):
        with contextlib.suppress(OSError):  # it is not frozen, or has gone
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.ioctl(descriptor, _THAW, 0)
            finally:
                os.close(descriptor)
