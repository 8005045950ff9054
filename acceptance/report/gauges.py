"""Gauges with their samples, in a form that every reader of Prometheus metrics takes.

All are gauges without timestamps: what a run found is a state, not a count that goes on. So the same document is valid
OpenMetrics 1.0 and Prometheus text 0.0.4. What the two write differently is not used: the types `info`, `stateset` and
`unknown`, suffixes such as `_total`, quotation marks in help texts. `# UNIT` and `# EOF` are comments to the older
format (https://prometheus.io/docs/instrumenting/exposition_formats/).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

PREFIX = "storage_acceptance_"
UNITS = ("bytes_per_second", "seconds", "bytes", "ratio")
Labels = tuple[tuple[str, str], ...]


class Interval(Protocol):
    """A figure with its interval, as records have them."""

    @property
    def mean(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Figure(NamedTuple):
    """A figure with an interval, of records that have it in another form."""

    mean: float | None
    low: float | None
    high: float | None


Found = Iterator[tuple[Interval | float | None, dict[str, str]]]
"""what a record holds for a gauge: each value with its labels; with an interval the label `bound` comes with it"""


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """One metric. `name` ends with its base unit, where it has one; `labels` are beside those that all have.

    `samples` reads a record of results.json; None: what sets the gauge reads more than one record.
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()
    samples: Callable[[Any], Found] | None = None

    def __post_init__(self) -> None:
        if '"' in self.help:
            raise ValueError(
                f"wanted a help text without quotation marks, which the two formats escape differently: {self.help}"
            )

    @property
    def unit(self) -> str:
        """The base unit; nothing where it has none."""
        return next((unit for unit in UNITS if self.name.endswith(f"_{unit}")), "")


class Samples:
    """The samples of one candidate class: of each gauge and its labels one value."""

    def __init__(self, shared: Mapping[str, str]) -> None:
        self.shared = dict(shared)
        self._values: dict[Gauge, dict[Labels, float]] = {}

    def set(self, gauge: Gauge, value: float | None, **labels: str) -> None:
        """Set the sample with these labels; a value that is not known has none. Raises ValueError for other labels."""
        if set(labels) != set(gauge.labels):
            raise ValueError(f"{gauge.name}: wanted labels {gauge.labels}, found {tuple(labels)}")
        if value is not None and math.isfinite(value):
            key = tuple((self.shared | labels).items())
            self._values.setdefault(gauge, {})[key] = float(value)

    def set_bounds(
        self, gauge: Gauge, mean: float | None, *, low: float | None, high: float | None, **labels: str
    ) -> None:
        """Set a figure and its interval: the three values of the label `bound`."""
        for bound, value in (("mean", mean), ("low", low), ("high", high)):
            self.set(gauge, value, bound=bound, **labels)

    def read(self, gauge: Gauge, record: object) -> None:
        """Set what a record holds for the gauge."""
        assert gauge.samples is not None
        for value, labels in gauge.samples(record):
            if value is None or isinstance(value, float | int):
                self.set(gauge, value, **labels)
            else:
                self.set_bounds(gauge, value.mean, low=value.low, high=value.high, **labels)

    def set_one_of(self, gauge: Gauge, label: str, current: str, among: tuple[str, ...], **labels: str) -> None:
        """1 where the label is the current one, 0 for the others: none goes on when the next run says another."""
        for each in among:
            self.set(gauge, float(each == current), **{label: each}, **labels)

    def __iter__(self) -> Iterator[tuple[Gauge, dict[Labels, float]]]:
        return iter(self._values.items())


GAUGES: dict[str, tuple[Gauge, ...]] = {}
"""by the list in results.json: what each of its records is read for"""


def declare_gauges(records: str, *gauges: Gauge) -> None:
    """Have each record of that list of results.json read for these metrics."""
    GAUGES[records] = gauges
