"""What a file of limits may say, as pydantic models: structure, metrics and units, each value by itself."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from acceptance.limits.crashes import FailoverEntry
from acceptance.limits.history import HistoryEntry
from acceptance.limits.provisioning import ProvisioningEntry
from acceptance.limits.ramps import ControlPlaneEntry
from acceptance.limits.rebuilds import RebuildEntry
from acceptance.limits.scaling import ScalingEntry
from acceptance.limits.tiers import RuleKind, side_of
from acceptance.limits.values import Entry, MetricRule, tell_metric
from acceptance.results.metrics import Metric
from acceptance.text.quantities import parse_quantity


class LimitEntry(MetricRule):
    """`{at_least: 750, because: ...}`, values in the metric's unit."""

    at_least: float | None = None
    at_most: float | None = None

    @field_validator("at_least", "at_most", mode="before")
    @classmethod
    def _parse_value(cls, text: Any, info: ValidationInfo) -> float | None:
        metric: Metric | None = info.data.get("metric")
        if metric is None:  # reported already; without it the unit is unknown
            return 1.0
        value = parse_quantity(text, unit=metric.unit)
        if value == 0.0:
            raise ValueError(f"wanted a limit above zero, found {text!r}, which nothing can miss or nothing can meet")
        return value

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("wanted at_least or at_most, found neither")
        return self


class ComparisonEntry(MetricRule):
    """`{not_better_than_baseline_by: 20%, because: ...}`, or `not_worse_than_baseline_by`, or both."""

    not_better_than_baseline_by: float | None = None
    not_worse_than_baseline_by: float | None = None

    @field_validator("not_better_than_baseline_by", "not_worse_than_baseline_by", mode="before")
    @classmethod
    def _parse_margin(cls, text: Any, info: ValidationInfo) -> float | None:
        metric: Metric | None = info.data.get("metric")
        margin = parse_quantity(text, unit="ratio")
        kind: RuleKind = info.field_name  # type: ignore[assignment]
        if metric is not None and metric.statistic == "longest":
            raise ValueError(f"wanted a metric that can be compared, found {metric}, which is of one moment; limit it")
        if metric is not None and side_of(kind, metric) == "at_least" and margin >= 1.0:
            raise ValueError(
                f"wanted a margin below 100%, found {text!r}: no {metric} can be 100% lower than another, so the rule "
                "would never fail"
            )
        return margin

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if self.not_better_than_baseline_by is None and self.not_worse_than_baseline_by is None:
            raise ValueError("wanted not_better_than_baseline_by or not_worse_than_baseline_by, found neither")
        return self


LimitEntries = Annotated[dict[str, LimitEntry], BeforeValidator(tell_metric)]
ComparisonEntries = Annotated[dict[str, ComparisonEntry], BeforeValidator(tell_metric)]


class TierEntry(Entry):
    """One tier; limits and comparison rules by profile and metric, scaling limits by profile."""

    description: str = ""
    extends: str | None = None
    limits: dict[str, LimitEntries] = Field(default_factory=dict)
    comparison: dict[str, ComparisonEntries] = Field(default_factory=dict)
    scaling: dict[str, ScalingEntry] = Field(default_factory=dict)
    control_plane: ControlPlaneEntry | None = None
    rebuild: RebuildEntry | None = None
    failover: FailoverEntry | None = None
    provisioning: ProvisioningEntry | None = None
    history: HistoryEntry | None = None


class FileEntry(Entry):
    """The whole file."""

    version: Literal[1]
    tiers: dict[str, TierEntry] = Field(min_length=1)
