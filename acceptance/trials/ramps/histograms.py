"""Histograms from the text that Kubernetes' components show as their metrics; little of it is kept.

An API server's metrics are many megabytes, so only the requested lines are parsed, some at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from prometheus_client.parser import text_string_to_metric_families

Labels = tuple[str, ...]
# The number of lines that are parsed at once.
_LINES = 2000


@dataclass(kw_only=True)
class Histogram:
    """The durations of events, added up. `buckets`: an upper end in s to the number of events that took no longer."""

    count: float = 0.0
    sum_s: float = 0.0
    buckets: dict[float, float] = field(default_factory=dict)

    @property
    def mean_s(self) -> float:
        """The mean; 0 if nothing happened."""
        return self.sum_s / self.count if self.count else 0.0

    def at_most_s(self, share: float) -> float | None:
        """Return the upper end of the first bucket that holds such a share of all; None if only the endless one
        does."""
        for end, count in sorted(self.buckets.items()):
            if count >= share * self.count:
                return end if math.isfinite(end) else None
        return None

    def since(self, before: Histogram | None) -> Histogram:
        """Return what was added since `before`; a component that was restarted meanwhile counts from its start."""
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
    select: Callable[[Mapping[str, str]], bool] = lambda labels: True,
) -> dict[Labels, Histogram]:
    """Return the histograms of that name by the labels in `by`, added up over all others. `select` gets all labels of a
    series."""
    histograms: dict[Labels, Histogram] = {}
    for labels, kind, value in _samples(lines, name):
        if not select(labels):
            continue
        histogram = histograms.setdefault(tuple(labels.get(label, "") for label in by), Histogram())
        if kind == "count":
            histogram.count += value
        elif kind == "sum":
            histogram.sum_s += value
        elif kind == "bucket":
            end = float(labels["le"])
            histogram.buckets[end] = histogram.buckets.get(end, 0.0) + value
    return histograms


def _samples(lines: Iterable[str], name: str) -> Iterator[tuple[Mapping[str, str], str, float]]:
    of_name = (line for line in lines if line.startswith(f"{name}_"))
    while batch := list(islice(of_name, _LINES)):
        for family in text_string_to_metric_families("\n".join(batch) + "\n"):
            for sample in family.samples:
                yield sample.labels, sample.name.removeprefix(f"{name}_"), sample.value
