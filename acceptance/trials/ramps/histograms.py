"""Histograms from the text that Kubernetes' components show as their metrics; little of it is kept.

An API server's metrics are many megabytes, so only the lines that are asked for are parsed, some at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from prometheus_client.parser import text_string_to_metric_families

Labels = tuple[str, ...]
# Lines that are parsed at once.
_LINES = 2000


@dataclass(kw_only=True)
class Histogram:
    """How many events took how long, added up. `buckets`: upper end in s to how many took no longer."""

    count: float = 0.0
    sum_s: float = 0.0
    buckets: dict[float, float] = field(default_factory=dict)

    @property
    def mean_s(self) -> float:
        """The mean; 0 where nothing happened."""
        return self.sum_s / self.count if self.count else 0.0

    def at_most_s(self, share: float) -> float | None:
        """The upper end of the first bucket that holds such a share of all; None where only the endless one does."""
        for end, count in sorted(self.buckets.items()):
            if count >= share * self.count:
                return end if math.isfinite(end) else None
        return None

    def since(self, before: Histogram | None) -> Histogram:
        """What was added since `before`; a component that was started again meanwhile counts from its start."""
        if before is None or before.count > self.count:
            return self
        return Histogram(
            count=self.count - before.count,
            sum_s=self.sum_s - before.sum_s,
            buckets={end: count - before.buckets.get(end, 0.0) for end, count in self.buckets.items()},
        )


def read_histograms(
    lines: Iterable[str],
    name: str,
    *,
    by: tuple[str, ...],
    wanted: Callable[[Mapping[str, str]], bool] = lambda labels: True,
) -> dict[Labels, Histogram]:
    """The histogram of that name, added up over all labels but those in `by`. `wanted` sees all labels of a series."""
    found: dict[Labels, Histogram] = {}
    for labels, kind, value in _samples(lines, name):
        if not wanted(labels):
            continue
        histogram = found.setdefault(tuple(labels.get(each, "") for each in by), Histogram())
        if kind == "count":
            histogram.count += value
        elif kind == "sum":
            histogram.sum_s += value
        elif kind == "bucket":
            end = float(labels["le"])
            histogram.buckets[end] = histogram.buckets.get(end, 0.0) + value
    return found


def _samples(lines: Iterable[str], name: str) -> Iterator[tuple[Mapping[str, str], str, float]]:
    of_name = (line for line in lines if line.startswith(f"{name}_"))
    while batch := list(islice(of_name, _LINES)):
        for family in text_string_to_metric_families("\n".join(batch) + "\n"):
            for sample in family.samples:
                yield sample.labels, sample.name.removeprefix(f"{name}_"), sample.value
