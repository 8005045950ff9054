"""What planned disruption may cost: the section `disruption` of a tier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from acceptance.limits.values import Entry, TimeLimit


class DisruptionLimit(TimeLimit):
    """The longest time (s) that something may take when a pod of the storage system is killed."""

    profile: ClassVar[str] = "storage-pods"
    metric: ClassVar[str]
    kind: ClassVar[str] = "at_most"
    key: ClassVar[str]
    what: ClassVar[str]

    def describe(self) -> str:
        """`until a killed pod of the storage system is Ready again: at most 2 min`"""
        return f"{self.what}: {self.wanted}"


class PodReadyLimit(DisruptionLimit):
    """From a pod's deletion until another one is Ready in its place."""

    metric: ClassVar[str] = "storage_pods.ready"
    key: ClassVar[str] = "pod_ready"
    what: ClassVar[str] = "until a killed pod of the storage system is Ready again"


class WriteGapLimit(DisruptionLimit):
    """Between two durable records meanwhile."""

    metric: ClassVar[str] = "storage_pods.write_gap"
    key: ClassVar[str] = "write_gap"
    what: ClassVar[str] = "longest gap in durable writes while a pod of the storage system is killed"


class NewVolumeLimit(DisruptionLimit):
    """From then until a new volume has been provisioned and written to."""

    metric: ClassVar[str] = "storage_pods.new_volume"
    key: ClassVar[str] = "new_volume"
    what: ClassVar[str] = "until a new volume is in use once a killed pod of the storage system is Ready again"


class DisruptionEntry(Entry):
    """`{pod_ready: {at_most: 2min, because: ...}, write_gap: ..., new_volume: ...}`"""

    pod_ready: PodReadyLimit | None = None
    write_gap: WriteGapLimit | None = None
    new_volume: NewVolumeLimit | None = None
    some_of: ClassVar[tuple[str, ...]] = ("pod_ready", "write_gap", "new_volume")

    def limits(self) -> Iterator[DisruptionLimit]:
        """As plain limits."""
        yield from filter(None, (self.pod_ready, self.write_gap, self.new_volume))
