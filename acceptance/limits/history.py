"""How much worse than before storage may be: the section `history` of a tier, as models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from acceptance.limits.values import Entry, MetricRule, tell_metric
from acceptance.results.metrics import CPU, SHOWN, Metric
from acceptance.text.quantities import parse_quantity

FEWEST_RUNS = 3
"""earlier runs without which nothing is compared: two have a spread that says next to nothing"""
KEPT_RUNS = 30
"""earlier runs that tell of the noise, and among which a change of level is looked for: about a month of nights"""
RUNS = 7
"""earlier runs that a run is compared with, unless a tier says otherwise: a week of nights"""


@dataclass(frozen=True, kw_only=True)
class HistoryLimit:
    """The metric must not be worse than in the last `runs` runs by more than `margin` (0.10: a tenth) beyond noise.

    `tier` is the tier that it was written in.
    """

    profile: str
    metric: Metric
    margin: float
    runs: int
    because: str
    tier: str

    @property
    def kind(self) -> Literal["not_worse_than_before_by"]:
        """There is one."""
        return "not_worse_than_before_by"

    @property
    def bound(self) -> float:
        """The multiple of the earlier value that is just allowed: with a margin of 0.10 it is 0.9, or 1.1."""
        return 1.0 - self.margin if self.metric.higher_is_better else 1.0 + self.margin

    def describe(self) -> str:
        """`write.iops not worse than in the last 7 runs by more than 10 % beyond noise`"""
        return f"{self.metric} not worse than in the last {self.runs} runs by more than {self.wanted} beyond noise"

    @property
    def wanted(self) -> str:
        """`10 %`"""
        return f"{self.margin * 100:.4g} %"


class _Rule(MetricRule):
    not_worse_by: float

    @field_validator("not_worse_by", mode="before")
    @classmethod
    def _parse_margin(cls, text: Any, info: ValidationInfo) -> float:
        metric: Metric | None = info.data.get("metric")
        margin = parse_quantity(text, unit="ratio")
        if metric is not None and not metric.path.endswith(tuple(f".{each}" for each in SHOWN)) and metric.path != CPU:
            raise ValueError(
                f"wanted a metric that every run keeps ({', '.join(SHOWN)} of a direction, or cpu.use), found {metric}"
            )
        if metric is not None and metric.higher_is_better and margin >= 1.0:
            raise ValueError(f"wanted a margin below 100%, found {text!r}: no {metric} can be 100% lower than before")
        return margin


_Rules = Annotated[dict[str, _Rule], BeforeValidator(tell_metric)]


class HistoryEntry(Entry):
    """`{runs: 7, limits: {<profile>: {<metric>: {not_worse_by: 10%, because: ...}}}}`"""

    runs: int | None = Field(default=None, ge=FEWEST_RUNS, le=KEPT_RUNS)
    limits: dict[str, _Rules] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.runs is None and not self.limits:
            raise ValueError("wanted runs or limits, found neither")
        return self

    def rules(self) -> Iterator[tuple[str, _Rule]]:
        """Each with its profile, in the order of the section."""
        for profile, rules in self.limits.items():
            for rule in rules.values():
                yield profile, rule


def inherited(family: Iterable[tuple[str, HistoryEntry | None]]) -> tuple[HistoryLimit, ...]:
    """The limits of the tiers of a family, by name and the eldest first: the youngest `runs` holds for all of them."""
    runs = RUNS
    found: dict[tuple[str, str], tuple[_Rule, str]] = {}
    for tier, entry in family:
        if entry is not None:
            runs = entry.runs or runs
            found |= {(profile, rule.metric.path): (rule, tier) for profile, rule in entry.rules()}
    return tuple(
        HistoryLimit(
            profile=profile,
            metric=rule.metric,
            margin=rule.not_worse_by,
            runs=runs,
            because=rule.because,
            tier=tier,
        )
        for (profile, _), (rule, tier) in found.items()
    )
