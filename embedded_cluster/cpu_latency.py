"""Keeps CPUs from sleeping while a load runs, as tuned's profile latency-performance does.

The kernel keeps the request for as long as the file that it was written to is open, and drops it with the process.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = Path("/dev/cpu_dma_latency")

# 32 bits: the maximum of microseconds that a CPU may take to wake.
_NONE_AT_ALL = bytes(4)


@contextmanager
def held_low(file: Path = FILE) -> Iterator[str | None]:
    """Keep this host's CPUs awake during the block; if they cannot be, yield the reason, and change nothing."""
    try:
        # Without O_CREAT; child processes do not inherit it.
        descriptor = os.open(file, os.O_WRONLY)
    except OSError as error:
        yield f"{file}: {error.strerror}"
        return
    try:
        yield _write(descriptor, file)
    finally:
        os.close(descriptor)


def _write(descriptor: int, file: Path) -> str | None:
    try:
        os.write(descriptor, _NONE_AT_ALL)
    except OSError as error:
        return f"{file}: {error.strerror}"
    return None
