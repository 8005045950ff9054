"""Metrics by their path in a fio result: `write.iops`, `read.bandwidth`, `sync.latency.p99`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Self

from acceptance.results import Unit

Direction = Literal["read", "write", "sync"]
Statistic = Literal["iops", "bandwidth", "mean", "percentile"]

_PATH = re.compile(
    r"(?P<direction>read|write|sync)\.((?P<rate>iops|bandwidth)|latency\.((?P<mean>mean)|p(?P<percentile>\d{1,2}(\.\d{1,3})?)))"
)
_WANTED = (
    "wanted a metric such as write.iops, read.bandwidth, write.latency.mean or sync.latency.p99 "
    "(read, write or sync; sync has iops and latency only; percentiles above 0 and below 100)"
)


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One number that a profile shows. `path` is its name everywhere: in limits, results and reports."""

    path: str
    direction: Direction
    statistic: Statistic
    percentile: float | None = None
    """0 to 100, for the statistic `percentile` only"""

    @classmethod
    def parse(cls, path: str) -> Self:
        """The metric at `path`. Raises ValueError, saying what was wanted, for a path that no profile can show."""
        found = _PATH.fullmatch(path)
        if found is None or (found["direction"] == "sync" and found["rate"] == "bandwidth"):
            raise ValueError(f"{_WANTED}, found {path!r}")
        statistic = found["rate"] or found["mean"] or "percentile"
        percentile = float(found["percentile"]) if found["percentile"] else None
        if percentile == 0.0:
            raise ValueError(f"{_WANTED}, found {path!r}")
        return cls(path=path, direction=found["direction"], statistic=statistic, percentile=percentile)  # type: ignore[arg-type]

    @property
    def unit(self) -> Unit:
        """The unit of its values: 1/s, B/s or s."""
        if self.statistic == "iops":
            return "1/s"
        return "B/s" if self.statistic == "bandwidth" else "s"

    @property
    def higher_is_better(self) -> bool:
        """IOPS and bandwidth should be high, latencies low."""
        return self.statistic in ("iops", "bandwidth")

    def __str__(self) -> str:
        return self.path
