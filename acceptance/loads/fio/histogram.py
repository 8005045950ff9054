"""A compact histogram of latencies: a load of hours has one or more for each of its seconds."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping

_WIDTHS = (("H", 2**16), ("I", 2**32), ("Q", 2**64))


class PackedHistogram(Mapping[int, int]):
    """A mapping from the middle of the bin in ns to operations, in a tenth of a dict's memory, ordered by the bins."""

    __slots__ = ("_counts", "_middles")

    def __init__(self, histogram: Mapping[int, int]) -> None:
        self._middles = _pack(sorted(histogram))
        self._counts = _pack([histogram[middle] for middle in self._middles])

    def __getitem__(self, middle: int) -> int:
        place = bisect_left(self._middles, middle)
        if place == len(self._middles) or self._middles[place] != middle:
            raise KeyError(middle)
        return self._counts[place]

    def __iter__(self) -> Iterator[int]:
        return iter(self._middles)

    def __len__(self) -> int:
        return len(self._middles)

    def __repr__(self) -> str:
        return f"PackedHistogram({dict(self)})"


def _pack(values: list[int]) -> array[int]:
    most = max(values, default=0)
    return array(next(code for code, end in _WIDTHS if most < end), values)
