"""Metrics by their path in a result: `write.iops`, `read.bandwidth`, `sync.latency.p99`, `cpu.per_operation`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Self

from acceptance.results.model import Unit

Direction = Literal["read", "write", "sync"]
Statistic = Literal["iops", "bandwidth", "mean", "percentile", "cpu", "cpu_per_operation", "longest"]

CPU = "cpu.use"
"""CPU time of the load's own processes, user and system, in CPU seconds a second: 1.0 is one whole CPU"""
CPU_PER_OPERATION = "cpu.per_operation"
"""the same CPU time divided by the reads and writes that completed in the same time, in CPU seconds an operation"""
STALL = "stall.longest"
"""the longest time (s) that one operation took, in whatever direction: an event, no mean, so its interval is exact"""

# What is kept and shown of every direction that a profile used, whether or not a limit asks for it.
SHOWN = ("iops", "bandwidth", "latency.mean", "latency.p50", "latency.p99", "latency.p99.9")

_PATH = re.compile(
    r"(?P<direction>read|write|sync)\.((?P<rate>iops|bandwidth)|latency\.((?P<mean>mean)|p(?P<percentile>\d{1,2}(\.\d{1,3})?)))"
)
_WANTED = (
    f"wanted a metric such as write.iops, read.bandwidth, write.latency.mean, sync.latency.p99, {CPU}, "
    f"{CPU_PER_OPERATION} or {STALL} "
    "(read, write or sync; sync has iops and latency only; percentiles above 0 and below 100)"
)
_UNITS: dict[Statistic, Unit] = {"iops": "1/s", "bandwidth": "B/s", "cpu": "cpu"}


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One number that a profile shows. `path` is its name everywhere: in limits, results and reports."""

    path: str
    direction: Direction | None
    """None for `cpu.use`, `cpu.per_operation` and `stall.longest`, which are of the load as a whole"""
    statistic: Statistic
    percentile: float | None = None
    """0 to 100, for the statistic `percentile` only"""

    @classmethod
    def parse(cls, path: str) -> Self:
        """The metric at `path`. Raises ValueError, saying what was wanted, for a path that no profile can show."""
        if path == CPU:
            return cls(path=path, direction=None, statistic="cpu")
        if path == CPU_PER_OPERATION:
            return cls(path=path, direction=None, statistic="cpu_per_operation")
        if path == STALL:
            return cls(path=path, direction=None, statistic="longest")
        found = _PATH.fullmatch(path)
        if found is None or (found["direction"] == "sync" and found["rate"] == "bandwidth"):
            raise ValueError(f"{_WANTED}, found {path!r}")
        statistic = found["rate"] or found["mean"] or "percentile"
        percentile = float(found["percentile"]) if found["percentile"] else None
        if percentile == 0.0:
            raise ValueError(f"{_WANTED}, found {path!r}")
        return cls(path=path, direction=found["direction"], statistic=statistic, percentile=percentile)  # type: ignore[arg-type]

    @property
    def is_of_the_rare(self) -> bool:
        """Whether few operations make it, the slowest: seconds of load that happen to hold none say nothing of them."""
        return self.statistic in ("longest", "percentile")

    @property
    def is_comparable(self) -> bool:
        """Whether its ratio between two loads says which of them is better.

        An event happens or does not. CPU time a second falls with the operations a second, so that the slower of two
        classes always seems to cost less: what can be compared is the CPU time of an operation.
        """
        return self.statistic not in ("longest", "cpu")

    @property
    def unit(self) -> Unit:
        """The unit of its values: 1/s, B/s, s or cpu."""
        return _UNITS.get(self.statistic, "s")

    @property
    def higher_is_better(self) -> bool:
        """IOPS and bandwidth should be high, latencies, stalls and CPU time low."""
        return self.statistic in ("iops", "bandwidth")

    def __str__(self) -> str:
        return self.path
