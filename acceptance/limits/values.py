"""The parts of all entries of the limits file: values with their unit, and the reason in words."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator, model_validator

from acceptance.results.metrics import Metric
from acceptance.text.quantities import Unit, parse_quantity

METRIC = "(metric)"
"""The name under which a rule receives the metric of its key; no key of a file can collide with it."""


class Entry(BaseModel):
    """One mapping of the file: only known keys, each with a value of its own kind, and one of `some_of` at least."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True, defer_build=True)
    some_of: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.some_of and not any(getattr(self, name) not in (None, {}, []) for name in self.some_of):
            *names, last = (type(self).model_fields[name].alias or name for name in self.some_of)
            finding = ("nothing", "neither", "none of them")[min(len(names), 2)]
            raise ValueError(f"expected {' or '.join(filter(None, (', '.join(names), last)))}, found {finding}")
        return self


def _above_zero(text: Any, *, unit: Unit) -> float:
    value = parse_quantity(text, unit=unit)
    if value == 0.0:
        raise ValueError(f"expected a value above zero, found {text!r}: every class would meet it, or none")
    return value


def _share(text: Any) -> float:
    value = _above_zero(text, unit="ratio")
    if value > 1.0:
        raise ValueError(f"expected a share of at most 100%, found {text!r}, which no class can meet")
    return value


def _sentence(text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ValueError("expected a sentence that explains a failure to its reader, found nothing")
    return text.strip()


QUANTITY = WithJsonSchema(
    {"type": ["string", "number"], "description": "a value with its unit: 750, 10ms, 100MiB/s, 30/min, 40%, 2 times"}
)
"""The schema of a limit's value, for editors: its unit follows from its subject."""
Quantity = Annotated[float, QUANTITY]
# All above zero: bytes, s, 1/s, and ratios; a share is at most 1.
Size = Annotated[float, BeforeValidator(partial(_above_zero, unit="B")), QUANTITY]
Time = Annotated[float, BeforeValidator(partial(_above_zero, unit="s")), QUANTITY]
Rate = Annotated[float, BeforeValidator(partial(_above_zero, unit="1/s")), QUANTITY]
Ratio = Annotated[float, BeforeValidator(partial(_above_zero, unit="ratio")), QUANTITY]
Share = Annotated[float, BeforeValidator(_share), QUANTITY]
Sentence = Annotated[str, BeforeValidator(_sentence)]
METRIC_PATH = WithJsonSchema({"type": "string", "description": "such as write.iops or read.latency.p99"})


class TimeLimit(Entry):
    """`{at_most: 60s, because: ...}`; in s."""

    at_most: Time
    because: Sentence


def side_problem(side: str, metric: Metric) -> str | None:
    """Return the error of `at_least` on a metric that should be low; None in all other cases.

    `at_most` on a rate is a limit too: of the speed that was sold, or of a limiter that must work.
    """
    if side != "at_least" or metric.higher_is_better:
        return None
    return (
        f"expected at_most for {metric}, which should be low, found at_least, which fast storage would fail; to detect "
        "storage that is too fast to be true, use not_better_than_baseline_by"
    )


def tell_metric(rules: Any) -> Any:
    """Hand each rule of `{metric: rule}` its key."""
    if not isinstance(rules, dict):
        return rules
    return {path: {**rule, METRIC: path} if isinstance(rule, dict) else rule for path, rule in rules.items()}


class MetricRule(Entry):
    """A rule at a metric, with its reason: it receives the metric, because a value's unit follows from it."""

    # Its alias is METRIC. It is first, because the validators of the other fields look it up.
    metric: Annotated[Metric, METRIC_PATH] = Field(alias="(metric)")
    because: Sentence

    @field_validator("metric", mode="before")
    @classmethod
    def _parse_metric(cls, path: str) -> Metric:
        return Metric.parse(path)
