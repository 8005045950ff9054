"""Gauges with their samples, in a form that every reader of Prometheus metrics accepts.

All are gauges without timestamps: the result of a run is a state, not a count that continues. So the same document is
valid OpenMetrics 1.0 and Prometheus text 0.0.4. Elements that the two write differently are not used: the types `info`,
`stateset` and `unknown`, suffixes such as `_total`, quotation marks in help texts. `# UNIT` and `# EOF` are comments to
the older format (https://prometheus.io/docs/instrumenting/exposition_formats/).
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
    """A figure with an interval, from records that store it in another form."""

    mean: float | None
    low: float | None
    high: float | None


LabeledValues = Iterator[tuple[Interval | float | None, dict[str, str]]]
"""The values that a record holds for a gauge, each with its labels; an interval also gets the label `bound`."""


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """One metric.

    `name` ends with its base unit, if it has one; `labels` are added to those that all samples have. `samples` reads a
    record of results.json; None: the code that sets the gauge reads more than one record.
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()
    samples: Callable[[Any], LabeledValues] | None = None

    def __post_init__(self) -> None:
        if '"' in self.help:
            raise ValueError(
                f"expected a help text without quotation marks, which the two formats escape differently: {self.help}"
            )

    @property
    def unit(self) -> str:
        """Return the base unit; the empty text if the gauge has none."""
        return next((unit for unit in UNITS if self.name.endswith(f"_{unit}")), "")


class Samples:
    """The samples of one candidate class: one value for each gauge and its labels."""

    def __init__(self, common_labels: Mapping[str, str]) -> None:
        self.common_labels = dict(common_labels)
        self._values: dict[Gauge, dict[Labels, float]] = {}

    def set(self, gauge: Gauge, value: float | None, **labels: str) -> None:
        """Set the sample with these labels; an unknown value sets none. Raise ValueError for other labels."""
        if set(labels) != set(gauge.labels):
            raise ValueError(f"{gauge.name}: expected labels {gauge.labels}, found {tuple(labels)}")
        if value is not None and math.isfinite(value):
            key = tuple((self.common_labels | labels).items())
            self._values.setdefault(gauge, {})[key] = float(value)

    def set_bounds(
        self, gauge: Gauge, mean: float | None, *, low: float | None, high: float | None, **labels: str
    ) -> None:
        """Set a figure and its interval: the three values of the label `bound`."""
        for bound, value in (("mean", mean), ("low", low), ("high", high)):
            self.set(gauge, value, bound=bound, **labels)

    def read(self, gauge: Gauge, record: object) -> None:
        """Set the values that a record holds for the gauge."""
        assert gauge.samples is not None
        for value, labels in gauge.samples(record):
            if value is None or isinstance(value, float | int):
                self.set(gauge, value, **labels)
            else:
                self.set_bounds(gauge, value.mean, low=value.low, high=value.high, **labels)

    def set_one_of(self, gauge: Gauge, label: str, current: str, among: tuple[str, ...], **labels: str) -> None:
        """Set 1 if the label is the current one, and 0 for the others.

        So no old value continues when the next run reports another one.
        """
        for option in among:
            self.set(gauge, float(option == current), **{label: option}, **labels)

    def __iter__(self) -> Iterator[tuple[Gauge, dict[Labels, float]]]:
        return iter(self._values.items())


GAUGES: dict[str, tuple[Gauge, ...]] = {}
"""The gauges that each record is read for, by the name of its list in results.json."""


def declare_gauges(records: str, *gauges: Gauge) -> None:
    """Have each record of that list of results.json read for these metrics."""
    GAUGES[records] = gauges
