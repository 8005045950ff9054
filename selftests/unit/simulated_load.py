"""Simulated seconds of load, as fio would have counted them, for tests of everything that comes after fio."""

from __future__ import annotations

from acceptance.loads.fio.samples import DIRECTIONS, Counts, Sample


def second(
    direction: str, *, rate: float, block_size: int, latency_s: float = 0.001, cpu: float | None = None
) -> Sample:
    """A second with `rate` operations of `block_size` bytes in one direction, each of which took `latency_s`."""
    ios = round(rate)
    done = Counts(
        ios=ios,
        bytes=ios * block_size,
        latency_sum_s=ios * latency_s,
        latencies=ios,
        histogram={round(latency_s * 1e9): ios} if ios else {},
    )
    counts = {each: done if each == direction else Counts() for each in DIRECTIONS}
    return Sample(duration_s=1.0, counts=counts, cpu_s=cpu)
