"""The section `history` of a tier, which limits regressions of storage, as models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from acceptance.limits.limit import Limit
from acceptance.limits.sections import Section, SectionSettings
from acceptance.limits.values import Entry, MetricRule, Quantity, tell_metric
from acceptance.results.metrics import CPU_PER_OPERATION, STANDARD_STATISTICS, Metric
from acceptance.results.requirement import Operator
from acceptance.text.quantities import parse_quantity

FEWEST_RUNS, MOST_RUNS = 7, 30
"""Bounds of the runs of a level: fewer show neither it nor its noise, and more would take longer than a month."""
RUNS = 14
"""The runs of a level unless a tier sets them: two weeks of nights, with all weekdays."""


class _Rule(MetricRule):
    not_worse_by: Quantity

    @field_validator("not_worse_by", mode="before")
    @classmethod
    def _parse_margin(cls, text: Any, info: ValidationInfo) -> float:
        metric: Metric | None = info.data.get("metric")
        margin = parse_quantity(text, unit="ratio")
        if metric is not None and not _is_kept(metric):
            raise ValueError(
                f"expected a metric that every run keeps and that can be compared ({', '.join(STANDARD_STATISTICS)} "
                f"of a direction, or {CPU_PER_OPERATION}), found {metric}"
            )
        if metric is not None and metric.higher_is_better and margin >= 1.0:
            raise ValueError(f"expected a margin below 100%, found {text!r}: no {metric} can be 100% lower than before")
        return margin


def _is_kept(metric: Metric) -> bool:
    return metric.path == CPU_PER_OPERATION or metric.path.endswith(tuple(f".{name}" for name in STANDARD_STATISTICS))


_Rules = Annotated[dict[str, _Rule], BeforeValidator(tell_metric)]


class HistoryEntry(Entry):
    """`{runs: 14, limits: {<profile>: {<metric>: {not_worse_by: 10%, because: ...}}}}`"""

    runs: int | None = Field(default=None, ge=FEWEST_RUNS, le=MOST_RUNS)
    limits: dict[str, _Rules] = Field(default_factory=dict)

    some_of: ClassVar[tuple[str, ...]] = ("runs", "limits")


def _limits(entry: HistoryEntry, _: str, settings: SectionSettings) -> Iterator[Limit]:
    """Yield the limits in the order of the section."""
    for profile, rules in entry.limits.items():
        for rule in rules.values():
            yield history_limit(
                profile, rule.metric, margin=rule.not_worse_by, runs=settings.runs, because=rule.because
            )


def history_limit(profile: str, metric: Metric, *, margin: float, runs: int, because: str) -> Limit:
    """Return a limit: a metric not worse than the level of the first `runs` runs by more than `margin` (0.10: 10 %).

    The bound is the multiple of the level that is just allowed.
    """
    side: Operator = "at_least" if metric.higher_is_better else "at_most"
    return Limit(
        section="history",
        rule="not_worse_than_before_by",
        profile=profile,
        path=metric.path,
        operator=side,
        bound=1.0 - margin if side == "at_least" else 1.0 + margin,
        unit="ratio",
        at={"margin": margin, "runs": runs},
        because=because,
    )


HISTORY = Section(key="history", form=HistoryEntry, limits=_limits, asked_with=frozenset({"history"}))
