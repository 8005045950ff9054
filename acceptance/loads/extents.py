"""The part of the test file that a profile loads: it must not be larger than the file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.text.quantities import format_quantity, format_size

MIB = 1024**2


@dataclass(frozen=True, kw_only=True)
class Amount:
    """Bytes, and a share of the test file in percent. `of_device`: on a raw block device, a share of the device."""

    fixed_bytes: int = 0
    percent: int = 0
    of_device: bool = False

    def of(self, test_size: int) -> int:
        """Return the bytes for a test file of `test_size` bytes."""
        return self.fixed_bytes + test_size * self.percent // 100


WHOLE = Amount(percent=100)
NO_BYTES = Amount()


@dataclass(frozen=True, kw_only=True)
class Extent:
    """The part of the file that one job loads: its first process begins at `start`, each further one `step` later.

    `size` is what each process loads. It is None if each loads the file from its start to the end.
    """

    job: str
    start: Amount = NO_BYTES
    step: Amount = NO_BYTES
    processes: int = 1
    size: Amount | None = None

    def end(self, test_size: int) -> int:
        """Return the end (bytes) of what the last process loads.

        fio ends a share at the end of the file. It refuses a share that begins there, because nothing is left to load.
        """
        begin = self.start.of(test_size) + (self.processes - 1) * self.step.of(test_size)
        if self.size is None or self.size.of_device:
            return max(test_size, begin + 1)
        return begin + self.size.of(test_size)

    @property
    def own_size(self) -> int | None:
        """The bytes that each process loads if the job itself sets them; None if the test file decides."""
        return None if self.size is None or self.size.percent else self.size.fixed_bytes


def own_size_of(extents: Sequence[Extent]) -> int | None:
    """Return the bytes that a profile loads by its own sizes; None if any of its jobs sets none.

    The jobs load the same file, so the largest size counts.
    """
    sizes = [extent.own_size for extent in extents]
    own_sizes = [size for size in sizes if size is not None]
    return max(own_sizes) if own_sizes and len(own_sizes) == len(sizes) else None


def extent_problem(extents: Sequence[Extent], *, test_size: int) -> str | None:
    """Return which part of a profile exceeds a test file of `test_size` bytes, and what to do; None if none does."""
    largest = max(extents, key=lambda extent: extent.end(test_size), default=None)
    if largest is None or (end := largest.end(test_size)) <= test_size:
        return None
    enough = math.ceil(end / MIB) * MIB
    larger = all(extent.end(enough) <= enough for extent in extents)
    remedy = f", or raise --storage-test-size to at least {format_size(enough)}" if larger else ""
    processes = f" with its {largest.processes} processes" if largest.processes > 1 else ""
    file_size, end_size = (format_quantity(size, unit="B") for size in (test_size, end))
    return (
        f"expected a load within the test file ({file_size}), found that section [{largest.job}]{processes} reaches to "
        f"{end:,} bytes ({end_size}); lower its size, offset or offset_increment{remedy}"
    )
