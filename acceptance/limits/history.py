"""How much worse than before storage may be: the section `history` of a tier, as models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from acceptance.limits.values import Entry, MetricRule, Quantity, tell_metric
from acceptance.results.metrics import CPU_PER_OPERATION, SHOWN, Metric
from acceptance.text.quantities import parse_quantity

FEWEST_RUNS, MOST_RUNS = 7, 30
"""of which a level is made: fewer know neither it nor its noise, and for more one would wait longer than a month"""
RUNS = 14
"""unless a tier says otherwise: a fortnight of nights, with all of its weekdays"""


@dataclass(frozen=True, kw_only=True)
class HistoryLimit:
    """The metric must not be worse than the level of the first `runs` runs by more than `margin` (0.10: a tenth)."""

    profile: str
    metric: Metric
    margin: float
    runs: int
    because: str

    @property
    def kind(self) -> Literal["not_worse_than_before_by"]:
        """There is one."""
        return "not_worse_than_before_by"

    @property
    def bound(self) -> float:
        """The multiple of the level that is just allowed: with a margin of 0.10 it is 0.9, or 1.1."""
        return 1.0 - self.margin if self.metric.higher_is_better else 1.0 + self.margin

    def describe(self) -> str:
        """`write.iops not worse than the accepted level (of 14 runs) by more than 10 % beyond noise`"""
        level = f"the accepted level (of {self.runs} runs)"
        return f"{self.metric} not worse than {level} by more than {self.wanted} beyond noise"

    @property
    def wanted(self) -> str:
        """`10 %`"""
        return f"{self.margin * 100:.4g} %"


class _Rule(MetricRule):
    not_worse_by: Quantity

    @field_validator("not_worse_by", mode="before")
    @classmethod
    def _parse_margin(cls, text: Any, info: ValidationInfo) -> float:
        metric: Metric | None = info.data.get("metric")
        margin = parse_quantity(text, unit="ratio")
        if metric is not None and not _is_kept(metric):
            raise ValueError(
                f"wanted a metric that every run keeps and that can be compared ({', '.join(SHOWN)} of a direction, or "
                f"{CPU_PER_OPERATION}), found {metric}"
            )
        if metric is not None and metric.higher_is_better and margin >= 1.0:
            raise ValueError(f"wanted a margin below 100%, found {text!r}: no {metric} can be 100% lower than before")
        return margin


def _is_kept(metric: Metric) -> bool:
    return metric.path == CPU_PER_OPERATION or metric.path.endswith(tuple(f".{name}" for name in SHOWN))


_Rules = Annotated[dict[str, _Rule], BeforeValidator(tell_metric)]


class HistoryEntry(Entry):
    """`{runs: 14, limits: {<profile>: {<metric>: {not_worse_by: 10%, because: ...}}}}`"""

    runs: int | None = Field(default=None, ge=FEWEST_RUNS, le=MOST_RUNS)
    limits: dict[str, _Rules] = Field(default_factory=dict)

    some_of: ClassVar[tuple[str, ...]] = ("runs", "limits")

    def rules(self, *, runs: int) -> Iterator[HistoryLimit]:
        """As plain limits, in the order of the section."""
        for profile, rules in self.limits.items():
            for rule in rules.values():
                yield HistoryLimit(
                    profile=profile, metric=rule.metric, margin=rule.not_worse_by, runs=runs, because=rule.because
                )
