"""Time in a measurement: the seconds of load in samples, their rate, and the joining of samples into batches by the
clock.

A sample is about a second. While storage stalls, fio prints nothing, so the sample that ends the stall is as long.
"""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.loads.fio.samples import Sample


def seconds_of(samples: Sequence[Sample]) -> int:
    """Return the whole seconds of load in the samples of one segment: their time, and at least one for each."""
    return max(len(samples), round(sum(sample.duration_s for sample in samples)))


def loaded_s(segments: Sequence[Sequence[Sample]]) -> int:
    """Return the counted seconds of load, by which a plan identifies its interim analyses."""
    return sum(map(seconds_of, segments))


def operations_in(samples: Sequence[Sample]) -> int:
    """Return the number of operations of all kinds in a stretch of samples."""
    return sum(counts.ios for sample in samples for counts in sample.counts.values())


def time_s(samples: Sequence[Sample]) -> float:
    """Return the time (s) that a stretch of samples took."""
    return sum(sample.duration_s for sample in samples)


def rate(samples: Sequence[Sample]) -> float:
    """Return the operations of all kinds a second over a stretch of samples, which is not empty."""
    return operations_in(samples) / time_s(samples)


def first_seconds(samples: Sequence[Sample], *, seconds: int) -> Sequence[Sample]:
    """Return the first samples that make up `seconds` together; all samples if they are shorter.

    The last sample is not cut: a stall that continues after the end of a turn keeps its duration.
    """
    for count in range(1, len(samples) + 1):
        if seconds_of(samples[:count]) >= seconds:
            return samples[:count]
    return samples


def batches(samples: Sequence[Sample], *, length: int) -> list[Sequence[Sample]]:
    """Return the samples of one segment in batches of `length` seconds by the clock.

    A sample is never cut, because it is unknown when in it the operations were done: a silence longer than a batch
    yields a long batch. An incomplete rest at the end belongs to the last batch, so that all time counts.
    Raises ValueError if length < 1.
    """
    if length < 1:
        raise ValueError(f"expected batches of at least a second, found a length of {length}")
    result: list[Sequence[Sample]] = []
    rest = samples
    while rest:
        batch = first_seconds(rest, seconds=length)
        if result and seconds_of(batch) < length:
            result[-1] = [*result[-1], *batch]
        else:
            result.append(batch)
        rest = rest[len(batch) :]
    return result
