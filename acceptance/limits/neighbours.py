"""What a volume must keep while others of its class load at full: the section `noisy_neighbours` of a tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from acceptance.limits.under_load import LatencyAtShare, LoadShare
from acceptance.limits.values import Ratio, Time
from acceptance.results.metrics import Metric
from acceptance.text.quantities import format_quantity

SECTION = "noisy_neighbours"
NeighbourKind = Literal["at_most_beside_neighbours", "growth_beside_neighbours"]


@dataclass(frozen=True, kw_only=True)
class NeighbourLimit:
    """One requirement on a latency of a profile at a share of its capacity, while neighbours load at full.

    `value`: the most that it may be, in s; for `growth_beside_neighbours` the most that it may be of that alone.
    """

    profile: str
    metric: Metric
    kind: NeighbourKind
    of_capacity: float
    value: float
    because: str

    @property
    def unit(self) -> Literal["s", "ratio"]:
        """Of `value`."""
        return "s" if self.kind == "at_most_beside_neighbours" else "ratio"

    @property
    def wanted(self) -> str:
        """`at most 20 ms`, or `at most 20x`"""
        return f"at most {format_quantity(self.value, unit=self.unit)}"

    def describe(self) -> str:
        """`read.latency.p99 at most 20 ms at 10 % of the capacity, beside neighbours at full load`"""
        than = "" if self.unit == "s" else " that alone"
        share = f"{self.of_capacity * 100:.4g} %"
        return f"{self.metric} {self.wanted}{than} at {share} of the capacity, beside neighbours at full load"


class NeighbourEntry(LatencyAtShare):
    """`{at_most: 20ms, growth_at_most: 20 times, of_capacity: 10%, because: ...}`, or only one of the first two."""

    at_most: Time | None = None
    growth_at_most: Ratio | None = None
    of_capacity: LoadShare = Field()
    some_of: ClassVar[tuple[str, ...]] = ("at_most", "growth_at_most")

    @field_validator("growth_at_most")
    @classmethod
    def _may_grow(cls, times: float | None) -> float | None:
        if times is not None and times < 1.0:
            raise ValueError(f"wanted once or more, found {times:g} times: no latency falls because others load")
        return times

    def limits(self, *, profile: str) -> Iterator[NeighbourLimit]:
        """As plain limits, one a kind."""
        kinds: tuple[tuple[NeighbourKind, float | None], ...] = (
            ("at_most_beside_neighbours", self.at_most),
            ("growth_beside_neighbours", self.growth_at_most),
        )
        for kind, value in kinds:
            if value is not None:
                yield NeighbourLimit(
                    profile=profile,
                    metric=self.metric,
                    kind=kind,
                    of_capacity=self.of_capacity,
                    value=value,
                    because=self.because,
                )
