"""What a failover must do: the section `failover` of a tier."""

from __future__ import annotations

from typing import ClassVar

from acceptance.limits.values import Entry, TimeLimit

METRIC = "failover.time"


class FailoverLimit(TimeLimit):
    """The longest time (s) allowed from the last durable write on a node that fails to the first on another node."""

    profile: ClassVar[str] = "failover"
    metric: ClassVar[str] = METRIC
    kind: ClassVar[str] = "at_most"

    def describe(self) -> str:
        """`time until the volume of a failed node is written on another: at most 8 min`"""
        return f"time until the volume of a failed node is written on another: {self.wanted}"


class FailoverEntry(Entry):
    """`{time: {at_most: 8min, because: ...}}`"""

    time: FailoverLimit
