"""Limits on latency at a share of a volume's capacity, by itself and while other volumes load at full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator

from acceptance.limits.limit import Limit
from acceptance.limits.sections import by_metric
from acceptance.limits.values import QUANTITY, MetricRule, Ratio, Time
from acceptance.results.metrics import Metric
from acceptance.text.quantities import parse_quantity

RuleAtShare = Literal["at_most_under_load", "at_most_beside_neighbours", "growth_beside_neighbours"]
MOST_SHARE = 0.95
"""A volume's capacity is known to within some percent only: a load at all of it would exceed it half of the time."""


def _share(text: Any) -> float:
    value = parse_quantity(text, unit="ratio")
    if not 0.0 < value <= MOST_SHARE:
        raise ValueError(
            f"expected a share above 0 and of at most {MOST_SHARE * 100:g}%, found {text!r}: the capacity of a volume "
            "is known only to within some percent"
        )
    return value


_LoadShare = Annotated[float, BeforeValidator(_share), QUANTITY]


class _LatencyAtShare(MetricRule):
    """A rule on a latency at a share of a volume's capacity. `rules`: those of verdicts, by the keys of its limits."""

    rules: ClassVar[tuple[tuple[str, RuleAtShare], ...]]
    conditions: ClassVar[tuple[str, ...]] = ("of_capacity",)

    @field_validator("metric")
    @classmethod
    def _is_latency(cls, metric: Metric) -> Metric:
        if metric.statistic not in ("mean", "percentile"):
            raise ValueError(f"expected a latency such as read.latency.p99, found {metric}")
        return metric

    def limits(self, profile: str) -> Iterator[Limit]:
        """Yield one limit per key."""
        at = {name: getattr(self, name) for name in self.conditions}
        for key, rule in self.rules:
            if (bound := getattr(self, key)) is not None:
                yield limit_at_share(profile, self.metric, rule, bound, because=self.because, **at)


def limit_at_share(
    profile: str, metric: Metric, rule: RuleAtShare, bound: float, *, of_capacity: float, because: str
) -> Limit:
    """Return a limit on latency at a share of a volume's capacity. `bound`: in s; growth: a multiple of that alone."""
    return Limit(
        section="latency_under_load" if rule == "at_most_under_load" else "noisy_neighbors",
        rule=rule,
        profile=profile,
        path=metric.path,
        operator="at_most",
        bound=bound,
        unit="ratio" if rule == "growth_beside_neighbours" else "s",
        at={"of_capacity": of_capacity},
        because=because,
    )


class UnderLoadEntry(_LatencyAtShare):
    """`{at_most: 3ms, of_capacity: 80%, because: ...}`"""

    at_most: Time
    of_capacity: _LoadShare = Field()
    rules: ClassVar[tuple[tuple[str, RuleAtShare], ...]] = (("at_most", "at_most_under_load"),)


class NeighbourEntry(_LatencyAtShare):
    """`{at_most: 20ms, growth_at_most: 20 times, of_capacity: 10%, because: ...}`, or only one of the first two."""

    at_most: Time | None = None
    growth_at_most: Ratio | None = None
    of_capacity: _LoadShare = Field()
    some_of: ClassVar[tuple[str, ...]] = ("at_most", "growth_at_most")
    rules: ClassVar[tuple[tuple[str, RuleAtShare], ...]] = (
        ("at_most", "at_most_beside_neighbours"),
        ("growth_at_most", "growth_beside_neighbours"),
    )

    @field_validator("growth_at_most")
    @classmethod
    def _may_grow(cls, times: float | None) -> float | None:
        if times is not None and times < 1.0:
            raise ValueError(f"expected a factor of at least 1, found {times:g}: load on neighbors reduces no latency")
        return times


UNDER_LOAD = by_metric("latency_under_load", UnderLoadEntry, asked_with={"latency_under_load"})
NEIGHBOURS = by_metric("noisy_neighbors", NeighbourEntry, asked_with={"noisy_neighbours"}, formerly="noisy_neighbours")
