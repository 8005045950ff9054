"""Time in a measurement: how many seconds of load samples are, and how they are joined into batches by the clock.

A sample is about a second. While storage stands still fio says nothing, and the sample that ends it is as long as that.
"""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.loads.fio.samples import Sample


def seconds_of(samples: Sequence[Sample]) -> int:
    """The whole seconds of load that samples of one segment are: the time that they took, and one each at least."""
    return max(len(samples), round(sum(sample.duration_s for sample in samples)))


def loaded_s(segments: Sequence[Sequence[Sample]]) -> int:
    """The counted seconds of load, by which a plan knows its looks."""
    return sum(map(seconds_of, segments))


def first_seconds(samples: Sequence[Sample], *, wanted: int) -> Sequence[Sample]:
    """The first samples, until they are so many seconds; all where they are fewer.

    The last is not cut: a standstill that goes on after the end of a turn is as long as it is.
    """
    for count in range(1, len(samples) + 1):
        if seconds_of(samples[:count]) >= wanted:
            return samples[:count]
    return samples


def batches(samples: Sequence[Sample], *, length: int) -> list[Sequence[Sample]]:
    """The samples of one segment in batches of `length` seconds by the clock.

    A sample is never cut, for nobody knows when in it what was done: a silence longer than a batch makes a long batch.
    What is left at the end and fills none belongs to the last, so that all time counts.
    Raises ValueError if length < 1.
    """
    if length < 1:
        raise ValueError(f"wanted batches of at least a second, found a length of {length}")
    found: list[Sequence[Sample]] = []
    left = samples
    while left:
        batch = first_seconds(left, wanted=length)
        if found and seconds_of(batch) < length:
            found[-1] = [*found[-1], *batch]
        else:
            found.append(batch)
        left = left[len(batch) :]
    return found
