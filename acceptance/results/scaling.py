"""Records of scale runs: the models behind `scaling` in `results.json`. All frozen; rates in 1/s and B/s, times in s.

They import no other model of the results, so that those can hold them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acceptance.results.model import Frozen


class Figure(Frozen):
    """A value over the common window. `low` and `high` are None if there are too few seconds for an interval."""

    mean: float
    low: float | None
    high: float | None
    batches: list[float] = Field(
        description="the value in each batch of the window; the interval is computed from them"
    )


class VolumeRecord(Frozen):
    """The rate of one volume in a step.

    `low` and `high` bound its rate, from its own batches; None if there are too few seconds.
    """

    pod: str
    node: str
    rate: float = Field(description="rate of the metric over the common window")
    low: float | None = Field(
        default=None, description="one-sided lower bound of the rate, at the confidence of the record"
    )
    high: float | None = Field(
        default=None,
        description="one-sided upper bound of the rate; it allows for the slowest of all volumes being slow by chance "
        "(Bonferroni)",
    )
    latency_mean_s: float | None
    latency_p99_s: float | None


class StepRecord(Frozen):
    """A number of volumes, loaded at the same time. Only seconds in which all of them were loaded count."""

    pods: int
    window_s: float = Field(description="length of the common window, in s")
    batch_s: int = Field(description="length in s of the batches from which the intervals are computed")
    total: Figure = Field(description="total of all volumes")
    latency_mean_s: Figure | None = Field(description="mean over the pods; None if the profile records no latency")
    latency_p99_s: Figure | None = Field(description="mean over the pods of each pod's 99th percentile")
    volumes: list[VolumeRecord]
    clock_spread_s: float = Field(
        description="largest difference between the clocks of the nodes, in s; the window is corrected for it"
    )

    @property
    def per_volume(self) -> Figure:
        """The mean over the volumes: the total and its interval, divided by the number of volumes."""
        total, pods = self.total, self.pods
        return Figure(
            mean=total.mean / pods,
            low=None if total.low is None else total.low / pods,
            high=None if total.high is None else total.high / pods,
            batches=[value / pods for value in total.batches],
        )


class CapacityRecord(Frozen):
    """The capacity model: on saturated storage the rate of each volume times the number of volumes is a constant C."""

    constant: Figure = Field(
        description="C, in the unit of the metric; its batches are the totals from which it was fitted"
    )
    plateau_pods: int = Field(description="pods of the first step after which the total no longer grows")


class RateRecord(Frozen):
    """A number of volumes, each loaded at a set rate."""

    pods: int
    rate: float = Field(description="rate that the suite requested from each volume")
    window_s: float | None = Field(default=None, description="seconds in which all volumes were loaded together")
    reached: dict[str, Figure] = Field(
        description="the share of the requested rate that each volume reached since its load began, by pod, slowest "
        "first; low: the share minus what the volume's backlog may vary by; high: the upper bound from "
        "its batches",
    )


class NodesRecord(Frozen):
    """An equal load per node, on some nodes and on twice as many."""

    on_fewer_nodes: StepRecord
    on_more_nodes: StepRecord
    fewer_nodes: int
    more_nodes: int


class ScalingRecord(Frozen):
    """All results of one profile on many volumes of one class."""

    profile: str
    storage_class: str
    metric: str
    unit: Literal["1/s", "B/s"]
    confidence: float = Field(description="confidence of all two-sided intervals in this record")
    steps: list[StepRecord]
    capacity: CapacityRecord | None = Field(description="None if the total still grew at the last step")
    rate_limited: RateRecord | None = None
    nodes: NodesRecord | None = None
    incomplete: str | None = Field(default=None, description="what ended the run before it had measured everything")
