"""kbench's rule of size: a test file that holds less than 25 s of the measured bandwidth may come from a cache."""

from __future__ import annotations

import math
from dataclasses import dataclass

from acceptance.loads.extents import own_size_of
from acceptance.loads.fio.job_load import extent_of
from acceptance.loads.fio.job_sections import jobs_of, read_sections
from acceptance.text.quantities import format_quantity, format_size

SIZE_IN_SECONDS = 25


@dataclass(frozen=True, kw_only=True)
class SmallFile:
    """A load on so few bytes (`size`) that a cache may have served it, at the measured `bandwidth` (B/s).

    `own`: the profile sets the size itself, so a test file larger than `test_size` bytes changes nothing.
    """

    size: int
    bandwidth: float
    own: bool
    test_size: int

    @property
    def remedy(self) -> str:
        """The change that makes the load large enough: `raise --storage-test-size to at least 10Gi`.

        A profile's size is in fio's own units, in which m is 1024 x 1024 bytes. It must fit into the test file.
        """
        minimum_bytes = SIZE_IN_SECONDS * self.bandwidth
        step, unit = (1024**3, "g") if minimum_bytes > 1024**3 else (1024**2, "m")
        number = math.ceil(minimum_bytes / step)
        file = f"raise --storage-test-size to at least {format_size(number * step)}"
        if not self.own:
            return file
        return f"set size={number}{unit} in the profile{f', and {file}' if number * step > self.test_size else ''}"

    def describe(self) -> str:
        """Return the problem in words: `the test file of 1 GiB holds only 2.5 s of the measured 400 MiB/s`."""
        seconds = math.floor(10 * self.size / self.bandwidth) / 10
        source = "the profile's own size" if self.own else "the test file"
        size, bandwidth = format_quantity(self.size, unit="B"), format_quantity(self.bandwidth, unit="B/s")
        if seconds == 0:
            return f"{source} of {size} holds less than 0.1 s of the measured {bandwidth}"
        return f"{source} of {size} holds only {seconds:g} s of the measured {bandwidth}"


def small_file(job_file: str, *, test_size: int, bandwidth: float) -> SmallFile | None:
    """Return the problem of the size that a profile loads at the bandwidth (B/s) that it reached; None if large enough.

    A file that is large enough proves nothing: a cache larger than the file, or sequential read-ahead, could still
    serve it.
    """
    own = own_size(job_file)
    size = test_size if own is None else own
    if size >= SIZE_IN_SECONDS * bandwidth:
        return None
    return SmallFile(size=size, bandwidth=bandwidth, own=own is not None, test_size=test_size)


def own_size(job_file: str) -> int | None:
    """Return the bytes that a fio job file loads by its own `size=` (its sections share a file, so the largest counts).

    Return None if it loads the size that the suite sets (`${SIZE}`, a share of the file, or no size at all).
    """
    try:
        return own_size_of([extent_of(job) for job in jobs_of(read_sections(job_file)[0])])
    except ValueError:  # the run is of an older suite, which read sizes in another way
        return None
