"""Rules that stand at a metric in the file of limits: each is told the metric, for a value's unit follows from it."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from acceptance.limits.values import Entry, Sentence
from acceptance.results.metrics import Metric

METRIC = "(metric)"
"""The name under which a rule is told the metric that it stands at; no key of a file can be taken for it."""


def tell_metric(rules: Any) -> Any:
    """Hand each rule of `{metric: rule}` its key."""
    if not isinstance(rules, dict):
        return rules
    return {path: {**rule, METRIC: path} if isinstance(rule, dict) else rule for path, rule in rules.items()}


class MetricRule(Entry):
    """What all of them have: the metric, and why there is a rule for it."""

    metric: Metric = Field(alias="(metric)")  # METRIC, and first: the validators of the others look it up
    because: Sentence

    @field_validator("metric", mode="before")
    @classmethod
    def _parse_metric(cls, path: str) -> Metric:
        return Metric.parse(path)
