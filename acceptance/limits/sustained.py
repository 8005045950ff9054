"""What storage must still do at the end of a long load: the section `sustained` of a tier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from acceptance.results.metrics import Metric
from acceptance.text.quantities import format_quantity

Kind = Literal["at_least_sustained", "at_most_sustained"]


@dataclass(frozen=True, kw_only=True)
class SustainedLimit:
    """One requirement on a metric of a profile at the end of a load without a pause; `value` in the metric's unit."""

    profile: str
    metric: Metric
    side: Literal["at_least", "at_most"]
    value: float
    because: str

    @property
    def kind(self) -> Kind:
        return "at_least_sustained" if self.side == "at_least" else "at_most_sustained"

    @property
    def wanted(self) -> str:
        """`at least 750 IOPS`"""
        return f"{self.side.replace('_', ' ')} {format_quantity(self.value, unit=self.metric.unit)}"

    def describe(self) -> str:
        """`write.iops at least 750 IOPS at the end of a sustained load`"""
        return f"{self.metric} {self.wanted} at the end of a sustained load"
