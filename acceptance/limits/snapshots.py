"""What many snapshots of a volume may cost its writes: the section `snapshots` of a tier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from acceptance.limits.values import Entry, Sentence, Share
from acceptance.results.metrics import Metric
from acceptance.results.ratio_words import share

PROFILE = "sync-write-iops"
"""what both volumes are loaded with: commits wait for such writes"""
METRIC = Metric.parse("write.iops")


@dataclass(frozen=True, kw_only=True)
class SnapshotsLimit:
    """One requirement: what is left at least of the writes of a volume without snapshots, as a ratio."""

    at_least: float
    because: str
    profile: ClassVar[str] = PROFILE
    metric: ClassVar[Metric] = METRIC
    kind: ClassVar[Literal["writes_left_with_snapshots"]] = "writes_left_with_snapshots"

    @property
    def wanted(self) -> str:
        """`at least 50 %`"""
        return f"at least {share(self.at_least)}"

    def describe(self) -> str:
        """`write.iops of a volume with many snapshots: at least 50 % of one without`"""
        return f"{self.metric} of a volume with many snapshots: {self.wanted} of one without"


class WritesLeftEntry(Entry):
    """`{at_least: 50%, because: ...}`"""

    at_least: Share
    because: Sentence


class SnapshotsEntry(Entry):
    """`writes_left: {at_least: 50%, because: ...}`"""

    writes_left: WritesLeftEntry | None = None
    some_of: ClassVar[tuple[str, ...]] = ("writes_left",)

    def limits(self) -> tuple[SnapshotsLimit, ...]:
        """As plain limits."""
        left = self.writes_left
        return () if left is None else (SnapshotsLimit(at_least=left.at_least, because=left.because),)
