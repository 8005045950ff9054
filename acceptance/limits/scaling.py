"""What many volumes of a class must do: the section `scaling` of a tier, as pydantic models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import BeforeValidator, Field, field_validator, model_validator

from acceptance.limits.values import METRIC_PATH, Entry, Ratio, Sentence, Share
from acceptance.results.metrics import Metric
from acceptance.results.ratio_words import share
from acceptance.text.quantities import format_quantity, parse_quantity

Kind = Literal["total_at_last_step", "per_volume", "latency_growth", "rate_limited", "node_scaling"]


@dataclass(frozen=True, kw_only=True)
class ScalingLimit:
    """One requirement on many volumes of one profile. `value` is a ratio, for `per_volume` in the metric's unit.

    `pods`: of `per_volume`, the step that is judged. `of_capacity`: of `rate_limited`, the share of what the steps
    surely did (`rates.sure_total`) that all volumes together are asked for.
    """

    profile: str
    metric: Metric
    kind: Kind
    value: float
    because: str
    pods: int | None = None
    of_capacity: float | None = None

    @property
    def unit(self) -> Literal["1/s", "B/s", "ratio"]:
        """Of `value`."""
        return rate_unit(self.metric) if self.kind == "per_volume" else "ratio"

    def shown(self, value: float, *, beside: float | None = None) -> str:
        """`350 IOPS`, `97.8 %` of a share, `3.1x`; `beside`: what it must be told apart from."""
        if self.kind in ("rate_limited", "total_at_last_step"):
            return share(value, beside=beside)
        return format_quantity(value, unit=self.unit, beside=beside)

    def describe(self) -> str:
        """`write.iops of each of 15 volumes at least 350 IOPS`"""
        amount = self.shown(self.value)
        at = "" if self.of_capacity is None else f" at {share(self.of_capacity)} of what all surely do"
        return {
            "total_at_last_step": f"total {self.metric} at the last step at least {amount} of that of the plateau",
            "per_volume": f"{self.metric} of each of {self.pods} volumes at least {amount}",
            "latency_growth": f"{self.metric}, mean over volumes, at the last step at most {amount} that of the first",
            "rate_limited": f"{self.metric} of every rate-limited volume at least {amount} of its rate{at}",
            "node_scaling": f"total {self.metric} on twice as many nodes at least {amount}",
        }[self.kind]


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
            raise ValueError(f"wanted a latency such as write.latency.mean, found {metric}")
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
            raise ValueError(f"wanted a rate such as write.iops or read.bandwidth, found {metric}")
        return metric

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        list(self.limits(profile=""))
        pods = [each.pods for each in self.per_volume]
        if len(set(pods)) < len(pods):
            raise ValueError(f"wanted per_volume once for each number of pods, found {pods}")
        return self

    def limits(self, *, profile: str) -> Iterator[ScalingLimit]:
        """As plain limits, in the order of the section."""

        def limit(kind: Kind, value: float, because: str, metric: Metric = self.metric, **more: Any) -> ScalingLimit:
            return ScalingLimit(profile=profile, metric=metric, kind=kind, value=value, because=because, **more)

        if (last := self.total_at_last_step) is not None:
            yield limit("total_at_last_step", last.at_least, last.because)
        for each in self.per_volume:
            rate = parse_quantity(each.at_least, unit=rate_unit(self.metric))
            if rate == 0.0:
                raise ValueError(f"wanted a limit above zero, found {each.at_least!r}, which every class meets")
            yield limit("per_volume", rate, each.because, pods=each.pods)
        if (growth := self.latency_growth) is not None:
            yield limit("latency_growth", growth.at_most, growth.because, growth.metric)
        if (limited := self.rate_limited) is not None:
            yield limit("rate_limited", limited.at_least, limited.because, of_capacity=limited.of_capacity)
        if (nodes := self.node_scaling) is not None:
            yield limit("node_scaling", nodes.at_least, nodes.because)


def rate_unit(metric: Metric) -> Literal["1/s", "B/s"]:
    """The unit of a metric that is a rate."""
    return "1/s" if metric.statistic == "iops" else "B/s"
