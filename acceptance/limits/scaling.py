"""The section `scaling` of a tier, the requirements on many volumes, as pydantic models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import BeforeValidator, Field, field_validator, model_validator

from acceptance.limits.limit import Limit
from acceptance.limits.sections import Section
from acceptance.limits.values import METRIC_PATH, Entry, Ratio, Sentence, Share
from acceptance.results.metrics import Metric
from acceptance.text.quantities import parse_quantity

Kind = Literal["total_at_last_step", "per_volume", "latency_growth", "rate_limited", "node_scaling"]


def _metric(path: Any) -> Metric:
    return Metric.parse(str(path))


MetricPath = Annotated[Metric, BeforeValidator(_metric), METRIC_PATH]


class _LastStep(Entry):
    at_least: Share
    because: Sentence


class _PerVolume(Entry):
    pods: int = Field(ge=1)
    at_least: Any
    because: Sentence


class _LatencyGrowth(Entry):
    metric: MetricPath
    at_most: Ratio
    because: Sentence

    @field_validator("metric")
    @classmethod
    def _is_latency(cls, metric: Metric) -> Metric:
        if metric.statistic not in ("mean", "percentile"):
            raise ValueError(f"expected a latency such as write.latency.mean, found {metric}")
        return metric


class _RateLimited(Entry):
    of_capacity: Share
    at_least: Share
    because: Sentence


class _NodeScaling(Entry):
    at_least: Ratio
    because: Sentence


class ScalingEntry(Entry):
    """The limits of one profile; `metric` is the rate whose total is judged."""

    metric: MetricPath
    total_at_last_step: _LastStep | None = None
    per_volume: list[_PerVolume] = Field(default_factory=list)
    latency_growth: _LatencyGrowth | None = None
    rate_limited: _RateLimited | None = None
    node_scaling: _NodeScaling | None = None
    some_of: ClassVar[tuple[str, ...]] = get_args(Kind)

    @field_validator("metric")
    @classmethod
    def _is_rate(cls, metric: Metric) -> Metric:
        if metric.statistic not in ("iops", "bandwidth"):
            raise ValueError(f"expected a rate such as write.iops or read.bandwidth, found {metric}")
        return metric

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        list(_limits(self, "", None))
        pods = [step.pods for step in self.per_volume]
        if len(set(pods)) < len(pods):
            raise ValueError(f"expected per_volume once for each number of pods, found {pods}")
        return self


def _limits(entry: ScalingEntry, profile: str, _: object) -> Iterator[Limit]:
    """Yield the limits in the order of the section."""
    limit = partial(scaling_limit, profile, entry.metric)
    if (last := entry.total_at_last_step) is not None:
        yield limit("total_at_last_step", last.at_least, because=last.because)
    for step in entry.per_volume:
        rate = parse_quantity(step.at_least, unit=rate_unit(entry.metric))
        if rate == 0.0:
            raise ValueError(f"expected a limit above zero, found {step.at_least!r}, which every class meets")
        yield limit("per_volume", rate, because=step.because, pods=step.pods)
    if (growth := entry.latency_growth) is not None:
        yield scaling_limit(profile, growth.metric, "latency_growth", growth.at_most, because=growth.because)
    if (rate_limit := entry.rate_limited) is not None:
        yield limit("rate_limited", rate_limit.at_least, because=rate_limit.because, of_capacity=rate_limit.of_capacity)
    if (nodes := entry.node_scaling) is not None:
        yield limit("node_scaling", nodes.at_least, because=nodes.because)


def scaling_limit(profile: str, metric: Metric, rule: Kind, bound: float, *, because: str, **at: float) -> Limit:
    """Return a limit on many volumes of one profile. `bound` is a ratio, for `per_volume` in the metric's unit.

    `at`: `pods`, of `per_volume`, the step that is judged; `of_capacity`, of `rate_limited`, the requested rate of all
    volumes together, as a share of the rate that the steps surely reached (`rates.sure_total`).
    """
    return Limit(
        section="scaling",
        rule=rule,
        profile=profile,
        path=metric.path,
        operator="at_most" if rule == "latency_growth" else "at_least",
        bound=bound,
        unit=rate_unit(metric) if rule == "per_volume" else "ratio",
        at=at,
        because=because,
    )


def rate_unit(metric: Metric) -> Literal["1/s", "B/s"]:
    """Return the unit of a metric that is a rate."""
    return "1/s" if metric.statistic == "iops" else "B/s"


SCALING = Section(key="scaling", form=ScalingEntry, limits=_limits, by_profile=True)
