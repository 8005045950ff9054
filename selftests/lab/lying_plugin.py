"""A disk that lies, as nbdkit loads it: https://libguestfs.org/nbdkit-python-plugin.3.html.

Blocks lie that hold data of fio's, which have its header somewhere: 0xacca, and 64 KiB as the length that it is for.
It lies in this process, and not in programs that are started for each request: a busy machine would take minutes to
write what a test needs.
"""

import errno
import os
import re
from pathlib import Path

API_VERSION = 2
BLOCK = 64 * 1024
OF_FIO = re.compile(rb"\xca\xac..\x00\x00\x01\x00", re.DOTALL)
ROTTEN_OF, LOST_OF, WHICH = 100, 10, 7
"""Of so many blocks one is read with a changed byte, or never written; which of them."""
_given: dict[str, str] = {}


def config(key: str, value: str) -> None:
    """Take a parameter: `file`, and `rots` and `loses`, the files that make it lie once they exist."""
    _given[key] = value


def open(readonly: bool) -> int:
    """Return the file's descriptor, which is nbdkit's handle of the connection."""
    return os.open(_given["file"], os.O_RDWR)


def get_size(handle: int) -> int:
    """Return the size in bytes."""
    return os.fstat(handle).st_size


def pread(handle: int, buffer: bytearray, offset: int, flags: int) -> None:
    """Fill the buffer from the offset on."""
    found = bytearray(os.pread(handle, len(buffer), offset))
    if len(found) != len(buffer):
        raise OSError(errno.EIO, "the file is shorter than the disk")
    if offset // BLOCK % ROTTEN_OF == WHICH and OF_FIO.search(found) and Path(_given["rots"]).exists():
        found[777] ^= 0xFF
    buffer[:] = found


def pwrite(handle: int, buffer: bytearray, offset: int, flags: int) -> None:
    """Write the buffer at the offset, or only say so."""
    lost = offset // BLOCK % LOST_OF == WHICH and OF_FIO.search(buffer) and Path(_given["loses"]).exists()
    if not lost and os.pwrite(handle, buffer, offset) != len(buffer):
        raise OSError(errno.EIO, "a short write")


def flush(handle: int, flags: int) -> None:
    """Make what was written durable."""
    os.fdatasync(handle)
