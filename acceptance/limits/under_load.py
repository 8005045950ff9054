"""How long operations may take at a share of what a volume can do: the section `latency_under_load` of a tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, field_validator

from acceptance.limits.values import QUANTITY, MetricRule, Time
from acceptance.results.metrics import Metric
from acceptance.text.quantities import format_quantity, parse_quantity

SECTION = "latency_under_load"
MOST_SHARE = 0.95
"""What a volume can do is known to within some percent only: a load of all of it would be above it half of the time."""


@dataclass(frozen=True, kw_only=True)
class UnderLoadLimit:
    """One requirement on a latency of a profile at a share of its capacity; `value` in s."""

    profile: str
    metric: Metric
    of_capacity: float
    value: float
    because: str
    kind: ClassVar[str] = "at_most_under_load"

    @property
    def wanted(self) -> str:
        """`at most 3 ms`"""
        return f"at most {format_quantity(self.value, unit='s')}"

    def describe(self) -> str:
        """`read.latency.p99 at most 3 ms at 80 % of the capacity`"""
        return f"{self.metric} {self.wanted} at {self.of_capacity * 100:.4g} % of the capacity"


def _share(text: Any) -> float:
    value = parse_quantity(text, unit="ratio")
    if not 0.0 < value <= MOST_SHARE:
        raise ValueError(
            f"wanted a share above 0 and of at most {MOST_SHARE * 100:g}%, found {text!r}: what a volume can do is "
            "known to within some percent only"
        )
    return value


LoadShare = Annotated[float, BeforeValidator(_share), QUANTITY]


class LatencyAtShare(MetricRule):
    """A rule on a latency at a share of what a volume can do."""

    @field_validator("metric")
    @classmethod
    def _is_latency(cls, metric: Metric) -> Metric:
        if metric.statistic not in ("mean", "percentile"):
            raise ValueError(f"wanted a latency such as read.latency.p99, found {metric}")
        return metric


class UnderLoadEntry(LatencyAtShare):
    """`{at_most: 3ms, of_capacity: 80%, because: ...}`"""

    at_most: Time
    of_capacity: LoadShare = Field()

    def limits(self, *, profile: str) -> Iterator[UnderLoadLimit]:
        """As a plain limit."""
        yield UnderLoadLimit(
            profile=profile,
            metric=self.metric,
            of_capacity=self.of_capacity,
            value=self.at_most,
            because=self.because,
        )
