"""What a failover must do: the section `failover` of a tier, as a pydantic model and as a plain limit."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.limits.values import Entry, TimeLimit
from acceptance.text.quantities import format_quantity

METRIC = "failover.time"


@dataclass(frozen=True, kw_only=True)
class FailoverLimit:
    """The most that may pass (s) between the last durable write on a node that fails and the first on another.

    `tier` is the tier that it was written in.
    """

    at_most_s: float
    because: str
    tier: str

    profile = "failover"
    metric = METRIC
    kind = "at_most"

    @property
    def wanted(self) -> str:
        """`at most 8 min`"""
        return f"at most {format_quantity(self.at_most_s, unit='s')}"

    def describe(self) -> str:
        """`time until the volume of a failed node is written on another: at most 8 min`"""
        return f"time until the volume of a failed node is written on another: {self.wanted}"


class FailoverEntry(Entry):
    """`{time: {at_most: 8min, because: ...}}`"""

    time: TimeLimit

    def limit(self, *, tier: str) -> FailoverLimit:
        """As a plain limit."""
        return FailoverLimit(at_most_s=self.time.at_most, because=self.time.because, tier=tier)


def inherited(entries: list[tuple[str, FailoverEntry | None]]) -> FailoverLimit | None:
    """The limit of a tier from the sections of its ancestors and itself, each with the tier's name, oldest first."""
    return next((entry.limit(tier=tier) for tier, entry in reversed(entries) if entry is not None), None)
