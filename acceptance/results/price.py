"""The resource overhead of the storage's own pods: the models behind `prices` in `results.json`. Bytes, s, CPUs.

They import no model of the results that holds them.
"""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from acceptance.results.model import Frozen


class Span(Frozen):
    """A value with its interval; `low` and `high` are None if there was too little data for an interval."""

    mean: float
    low: float | None = None
    high: float | None = None


class PricePeriod(Frozen):
    """All pods together before, during or after the load."""

    name: str = Field(description="rest, load or after")
    begin_s: float = Field(description="seconds since the watch began")
    end_s: float
    cpu: Span | None = Field(description="CPU seconds a second; null: nothing was measured")
    memory: float | None = Field(description="mean of the working sets, in bytes")
    peak: float | None = Field(description="largest sum of the working sets, in bytes")


class MemoryGrowth(Frozen):
    """The growth of a pod's memory, in bytes an hour; negative if it shrank."""

    mean: float
    low: float
    high: float
    first: float = Field(description="growth in the first half of the judged time alone")
    second: float = Field(description="growth in the second half alone")
    seconds: float = Field(description="length of the judged time")


class PricedPod(Frozen):
    """One pod of the storage."""

    namespace: str
    pod: str
    cpu: float | None = Field(description="CPU seconds a second during the load")
    memory: dict[str, float] = Field(description="mean of its working set in each period, in bytes")
    restarts: list[str] = Field(default=[], description="restarts while it was watched, in words")
    growth: MemoryGrowth | None = Field(
        default=None, description="null: it was not observed under load for long enough"
    )


class PriceRecord(Frozen):
    """The storage's pods before, during and after one load."""

    storage_class: str
    profile: str
    of: list[str] = Field(description="NAMESPACE or NAMESPACE/SELECTOR of the pods")
    started: AwareDatetime
    load_s: float = Field(description="seconds of load")
    iops: float = Field(description="operations a second of the whole load")
    cpu_per_1000_iops: Span | None = Field(description="CPUs; only of times in which both CPU and IOPS are known")
    periods: list[PricePeriod]
    pods: list[PricedPod]
    step_s: float = Field(description="seconds between the values of both series")
    cpu_series: list[float | None] = Field(description="CPU seconds a second, all pods together")
    memory_series: list[float | None] = Field(description="bytes, all pods together")
    confidence: float = Field(description="confidence of all intervals here")
    requests: int = Field(description="number of requests that the watch sent")
    asked_s: float = Field(description="seconds that these requests took")
    missed: list[str] = Field(default=[], description="why figures are missing, each once")
