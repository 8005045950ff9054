"""What a failover and a drain must do: the section `failover` of a tier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from acceptance.limits.values import Entry, TimeLimit


class FailoverLimit(TimeLimit):
    """The longest time (s) allowed from the last durable write on a node that fails to the first on another node."""

    profile: ClassVar[str] = "failover"
    metric: ClassVar[str] = "failover.time"
    kind: ClassVar[str] = "at_most"
    key: ClassVar[str] = "time"
    node: ClassVar[str] = "failed"
    destructive: ClassVar[bool] = True

    def describe(self) -> str:
        """`time until the volume of a failed node is written on another: at most 8 min`"""
        return f"time until the volume of a {self.node} node is written on another: {self.wanted}"


class DrainLimit(FailoverLimit):
    """The same for a node whose pod is evicted, as a drain does."""

    profile: ClassVar[str] = "drain"
    metric: ClassVar[str] = "drain.time"
    key: ClassVar[str] = "drain_time"
    node: ClassVar[str] = "drained"
    destructive: ClassVar[bool] = False


class OutOfServiceLimit(FailoverLimit):
    """The same for a node that fails and is then tainted as out of service."""

    profile: ClassVar[str] = "failover-out-of-service"
    metric: ClassVar[str] = "failover.out_of_service_time"
    key: ClassVar[str] = "out_of_service_time"
    node: ClassVar[str] = "failed (out-of-service)"


class FailoverEntry(Entry):
    """`{time: {at_most: 8min, because: ...}, drain_time: {at_most: 2min, because: ...}}`"""

    time: FailoverLimit | None = None
    out_of_service_time: OutOfServiceLimit | None = None
    drain_time: DrainLimit | None = None
    some_of: ClassVar[tuple[str, ...]] = ("time", "out_of_service_time", "drain_time")

    def limits(self) -> Iterator[FailoverLimit]:
        """As plain limits, one a way to leave a node."""
        yield from filter(None, (self.time, self.out_of_service_time, self.drain_time))
