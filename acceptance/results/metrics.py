"""Metrics by their path in the results: `write.iops`, `read.bandwidth`, `sync.latency.p99`, `cpu.per_operation`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Self

from acceptance.results.model import Unit

Direction = Literal["read", "write", "sync"]
Statistic = Literal["iops", "bandwidth", "mean", "percentile", "cpu", "cpu_per_operation", "longest"]

CPU = "cpu.use"
"""CPU time of the load's own processes, user and system, in CPU seconds a second: 1.0 is one whole CPU."""
CPU_PER_OPERATION = "cpu.per_operation"
"""That CPU time divided by the reads and writes that completed in the same time, in CPU seconds an operation."""
STALL = "stall.longest"
"""The longest time (s) of one operation, in any direction: an event and no mean, so its interval is exact."""

# Statistics that are kept and shown for every direction that a profile used, even if no limit requires them.
STANDARD_STATISTICS = ("iops", "bandwidth", "latency.mean", "latency.p50", "latency.p99", "latency.p99.9")

_PATH = re.compile(
    r"(?P<direction>read|write|sync)\.((?P<rate>iops|bandwidth)|latency\.((?P<mean>mean)|p(?P<percentile>\d{1,2}(\.\d{1,3})?)))"
)
_EXPECTATION = (
    f"expected a metric such as write.iops, read.bandwidth, write.latency.mean, sync.latency.p99, {CPU}, "
    f"{CPU_PER_OPERATION} or {STALL} "
    "(read, write or sync; sync has iops and latency only; percentiles above 0 and below 100)"
)
_UNITS: dict[Statistic, Unit] = {"iops": "1/s", "bandwidth": "B/s", "cpu": "cpu"}


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One number that a profile measures. `path` is its name everywhere: in limits, results and reports."""

    path: str
    direction: Direction | None
    """None for `cpu.use`, `cpu.per_operation` and `stall.longest`, which are of the load as a whole."""
    statistic: Statistic
    percentile: float | None = None
    """0 to 100, for the statistic `percentile` only."""

    @classmethod
    def parse(cls, path: str) -> Self:
        """Return the metric at `path`. Raise ValueError, which names what was expected, if no profile measures it."""
        if path == CPU:
            return cls(path=path, direction=None, statistic="cpu")
        if path == CPU_PER_OPERATION:
            return cls(path=path, direction=None, statistic="cpu_per_operation")
        if path == STALL:
            return cls(path=path, direction=None, statistic="longest")
        match = _PATH.fullmatch(path)
        if match is None or (match["direction"] == "sync" and match["rate"] == "bandwidth"):
            raise ValueError(f"{_EXPECTATION}, found {path!r}")
        statistic = match["rate"] or match["mean"] or "percentile"
        percentile = float(match["percentile"]) if match["percentile"] else None
        if percentile == 0.0:
            raise ValueError(f"{_EXPECTATION}, found {path!r}")
        return cls(path=path, direction=match["direction"], statistic=statistic, percentile=percentile)  # type: ignore[arg-type]

    @property
    def is_of_the_rare(self) -> bool:
        """True if few operations determine the value, the slowest: seconds without them say nothing about it."""
        return self.statistic in ("longest", "percentile")

    @property
    def is_comparable(self) -> bool:
        """True if its ratio between two loads shows which of them is better.

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
        """True for IOPS and bandwidth, which should be high; latencies, stalls and CPU time should be low."""
        return self.statistic in ("iops", "bandwidth")

    def __str__(self) -> str:
        return self.path
