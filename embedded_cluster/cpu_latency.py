"""CPUs kept from sleeping while a load runs, as tuned's profile latency-performance does.

The kernel keeps the wish for as long as the file that it was written to is open, and drops it with the process.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = Path("/dev/cpu_dma_latency")

# 32 bits: the most microseconds that a CPU may take to wake.
_NONE_AT_ALL = bytes(4)


@contextmanager
def held_low(file: Path = FILE) -> Iterator[str | None]:
    """Keep this host's CPUs awake during the block; where they cannot be, give the reason, and change nothing."""
    try:
        # Without O_CREAT, and closed in programs that are started meanwhile.
        descriptor = os.open(file, os.O_WRONLY)
    except OSError as error:
        yield f"{file}: {error.strerror}"
        return
    try:
        yield _written(descriptor, file)
    finally:
        os.close(descriptor)


def _written(descriptor: int, file: Path) -> str | None:
    try:
        os.write(descriptor, _NONE_AT_ALL)
    except OSError as error:
        return f"{file}: {error.strerror}"
    return None
