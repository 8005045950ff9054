"""What a rebuild must do: the section `rebuild` of a tier, as pydantic models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from acceptance.limits.values import Entry, Ratio, Sentence, Share, Size, Time
from acceptance.results.ratio_words import share
from acceptance.results.rebuilds import PATTERNS, Pattern
from acceptance.text.quantities import format_quantity

Kind = Literal["largest_volume", "foreground_iops", "foreground_p99"]
TIME_LIMIT_S = 24 * 3600.0
"""Longhorn gives a rebuild 24 h (its setting long-grpc-timeout), and a longer lack of one is a risk anywhere."""

METRICS: dict[Kind, str] = {
    "largest_volume": "rebuild.largest_volume",
    "foreground_iops": "write.iops",
    "foreground_p99": "write.latency.p99",
}


@dataclass(frozen=True, kw_only=True)
class RebuildLimit:
    """One requirement on the rebuild of a volume that holds `pattern`.

    `value`: bytes for the largest volume; for the foreground its metric during the rebuild as a multiple of that
    before it.
    """

    pattern: Pattern
    kind: Kind
    value: float
    because: str
    time_limit_s: float = TIME_LIMIT_S

    @property
    def profile(self) -> str:
        """What stands in a verdict where others have a profile."""
        return self.pattern

    @property
    def metric(self) -> str:
        """What stands in a verdict where others have the path of a metric."""
        return METRICS[self.kind]

    @property
    def unit(self) -> Literal["B", "ratio"]:
        """Of `value`."""
        return "B" if self.kind == "largest_volume" else "ratio"

    @property
    def side(self) -> Literal["at_least", "at_most"]:
        """On which side of `value` the measured one must lie."""
        return "at_most" if self.kind == "foreground_p99" else "at_least"

    @property
    def wanted(self) -> str:
        """`at least 1 TiB`"""
        return f"{self.side.replace('_', ' ')} {self.shown(self.value)}"

    def shown(self, value: float, *, beside: float | None = None) -> str:
        """`1 TiB`; of the foreground `40 %`, the share of its IOPS that was left, or `5x`, the growth of its p99."""
        if self.kind == "foreground_iops":
            return share(value, beside=beside)
        return format_quantity(value, unit=self.unit, beside=beside)

    def describe(self) -> str:
        """`largest volume that is rebuilt in 24 h, full-data: at least 1 TiB`"""
        if self.kind == "largest_volume":
            limit = format_quantity(self.time_limit_s, unit="s")
            return f"largest volume that is rebuilt in {limit}, {self.pattern}: {self.wanted}"
        of = "of that" if self.kind == "foreground_iops" else "that"
        return f"{self.metric} of synchronous writes during a rebuild, {self.pattern}: {self.wanted} {of} before it"


class _Largest(Entry):
    at_least: Size
    because: Sentence


class _Iops(Entry):
    at_least: Share
    because: Sentence


class _P99(Entry):
    at_most: Ratio
    because: Sentence


class _Foreground(Entry):
    iops: _Iops | None = Field(alias="write.iops", default=None)
    p99: _P99 | None = Field(alias="write.latency.p99", default=None)
    some_of: ClassVar[tuple[str, ...]] = ("iops", "p99")


class RebuildEntry(Entry):
    """`time_limit`; `largest_volume` by pattern; `foreground` by metric, for every pattern."""

    time_limit: Time | None = None
    largest_volume: dict[Pattern, _Largest] = Field(default_factory=dict)
    foreground: _Foreground | None = None
    some_of: ClassVar[tuple[str, ...]] = ("time_limit", "largest_volume", "foreground")

    def limits(self, *, time_limit_s: float = TIME_LIMIT_S) -> Iterator[RebuildLimit]:
        """As plain limits, the foreground's once for each pattern."""
        front = self.foreground
        for pattern in PATTERNS:
            found: dict[Kind, tuple[float, str]] = {}
            if (largest := self.largest_volume.get(pattern)) is not None:
                found["largest_volume"] = largest.at_least, largest.because
            if front is not None and (iops := front.iops) is not None:
                found["foreground_iops"] = iops.at_least, iops.because
            if front is not None and (p99 := front.p99) is not None:
                found["foreground_p99"] = p99.at_most, p99.because
            for kind, (value, because) in found.items():
                yield RebuildLimit(pattern=pattern, kind=kind, value=value, because=because, time_limit_s=time_limit_s)
