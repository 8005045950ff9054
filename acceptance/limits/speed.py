"""Limits on the speed of a load, also at the end of a long one, and on its comparison with a baseline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Literal, get_args

from pydantic import ValidationInfo, field_validator

from acceptance.limits.limit import Limit
from acceptance.limits.sections import by_metric
from acceptance.limits.values import MetricRule, Quantity, side_problem
from acceptance.results.metrics import CPU, STALL, Metric
from acceptance.results.requirement import Operator
from acceptance.text.quantities import parse_quantity

RuleKind = Literal["not_better_than_baseline_by", "not_worse_than_baseline_by"]


def speed_limit(profile: str, metric: Metric, side: Operator, bound: float, *, because: str) -> Limit:
    """Return a limit on one metric of one profile; `bound` in the metric's unit."""
    return Limit(
        section="limits",
        rule=side,
        profile=profile,
        path=metric.path,
        operator=side,
        bound=bound,
        unit=metric.unit,
        because=because,
    )


class LimitEntry(MetricRule):
    """`{at_least: 750, because: ...}`, values in the metric's unit."""

    at_least: Quantity | None = None
    at_most: Quantity | None = None
    some_of: ClassVar[tuple[str, ...]] = ("at_least", "at_most")

    @field_validator("at_least", "at_most", mode="before")
    @classmethod
    def _parse_value(cls, text: Any, info: ValidationInfo) -> float | None:
        metric: Metric | None = info.data.get("metric")
        if metric is None:  # reported already; without it the unit is unknown
            return 1.0
        if problem := side_problem(str(info.field_name), metric):
            raise ValueError(problem)
        value = parse_quantity(text, unit=metric.unit)
        if value == 0.0:
            raise ValueError(f"expected a limit above zero, found {text!r}, which every class meets or none does")
        return value

    def limits(self, profile: str) -> Iterator[Limit]:
        """Yield one limit per side."""
        for side in get_args(Operator):
            if (bound := getattr(self, side)) is not None:
                yield speed_limit(profile, self.metric, side, bound, because=self.because)


class SustainedEntry(LimitEntry):
    """A limit at the end of a sustained load."""

    @field_validator("metric")
    @classmethod
    def _lasts(cls, metric: Metric) -> Metric:
        if metric.statistic == "longest":
            raise ValueError(
                f"expected a metric that covers the whole end of the load, found {metric}, a single event; limit it "
                "under limits:"
            )
        return metric

    def limits(self, profile: str) -> Iterator[Limit]:
        """Yield one limit per side."""
        for limit in super().limits(profile):
            yield sustained_limit(limit)


def sustained_limit(limit: Limit) -> Limit:
    """Return the limit for the end of a sustained load."""
    return replace(limit, section="sustained", rule=f"{limit.rule}_sustained")


_INCOMPARABLE = {
    STALL: "a single event; limit it under limits:",
    CPU: "CPU time a second, which is lower on slower storage; compare cpu.per_operation",
}


class ComparisonEntry(MetricRule):
    """`{not_better_than_baseline_by: 20%, because: ...}`, or `not_worse_than_baseline_by`, or both."""

    not_better_than_baseline_by: Quantity | None = None
    not_worse_than_baseline_by: Quantity | None = None
    some_of: ClassVar[tuple[str, ...]] = get_args(RuleKind)

    @field_validator("not_better_than_baseline_by", "not_worse_than_baseline_by", mode="before")
    @classmethod
    def _parse_margin(cls, text: Any, info: ValidationInfo) -> float | None:
        metric: Metric | None = info.data.get("metric")
        margin = parse_quantity(text, unit="ratio")
        kind: RuleKind = info.field_name  # type: ignore[assignment]
        if metric is not None and not metric.is_comparable:
            raise ValueError(f"expected a metric that can be compared, found {metric}, {_INCOMPARABLE[metric.path]}")
        if metric is not None and _side_of(kind, metric) == "at_least" and margin >= 1.0:
            raise ValueError(
                f"expected a margin below 100%, found {text!r}: no {metric} can be 100% lower than another, so the "
                "rule would never fail"
            )
        return margin

    def limits(self, profile: str) -> Iterator[Limit]:
        """Yield one limit per kind of rule."""
        for kind in get_args(RuleKind):
            if (margin := getattr(self, kind)) is not None:
                yield comparison_rule(profile, self.metric, kind, margin, because=self.because)


def comparison_rule(profile: str, metric: Metric, kind: RuleKind, margin: float, *, because: str) -> Limit:
    """Return a rule: the candidate not better, or not worse, than the baseline by more than `margin` (0.20: a fifth).

    Better is higher for IOPS and bandwidth, lower for latency and CPU time. A candidate that is too good has most
    likely not done its work: `not_better_than_baseline_by` detects that. The bound is the ratio candidate / baseline
    that is just allowed: with a margin of 0.20 it is 1.2, or 0.8 from below.
    """
    side = _side_of(kind, metric)
    return Limit(
        section="comparison",
        rule=kind,
        profile=profile,
        path=metric.path,
        operator=side,
        bound=1.0 + margin if side == "at_most" else 1.0 - margin,
        unit="ratio",
        at={"margin": margin},
        because=because,
    )


def _side_of(kind: RuleKind, metric: Metric) -> Operator:
    """Return the side on which a rule of this kind keeps the metric's ratio candidate / baseline."""
    too_good = kind == "not_better_than_baseline_by"
    return "at_most" if too_good == metric.higher_is_better else "at_least"


LIMITS = by_metric("limits", LimitEntry)
COMPARISON = by_metric("comparison", ComparisonEntry)
SUSTAINED_LIMITS = by_metric("sustained", SustainedEntry, asked_with={"sustained"})
