"""The timeline of each pod of a ramp: a small record for each, keyed by uid, so that none is lost or counted twice.

All phases are timed by one clock: the suite's own, when the API server reports a change. So phases have a resolution of
tenths of a second. The timestamps of Kubernetes have one of a second, by the clocks of several machines. A change that
is reported after a break of the connection is late: such a pod is marked, and its start is timed by the timestamps of
Kubernetes instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from acceptance.trials.ramps.pod_view import PodView


@dataclass(slots=True, kw_only=True)
class PodRecord:
    """The record of a pod. Times in s of the suite's clock; None for what was not seen. `took_s`: from creation to
    running."""

    name: str
    number: int
    created_s: float
    node: str = ""
    scheduled_s: float | None = None
    running_s: float | None = None
    ready_s: float | None = None
    took_s: float | None = None
    runs: bool = False
    is_deleted: bool = False
    late: bool = False
    full_since_s: float | None = None
    no_room: str = ""
    attach_limit: bool = False


@dataclass(slots=True, kw_only=True)
class ClaimRecord:
    """A claim of the ramp; `created_at` as Kubernetes writes it."""

    created_at: str
    bound_s: float | None = None
    volume: str = ""
    late: bool = False


@dataclass(kw_only=True)
class Timeline:
    """Pods by uid and in the order of their creation, claims by name, attachments by the name of their volume."""

    pods: dict[str, PodRecord] = field(default_factory=dict)
    live: dict[str, str] = field(default_factory=dict)
    claims: dict[str, ClaimRecord] = field(default_factory=dict)
    attached_s: dict[str, float] = field(default_factory=dict)
    attached_late: set[str] = field(default_factory=set)

    def take_pod(self, pod: PodView, now_s: float, *, late: bool) -> PodRecord:
        """Take a pod as it is now; return its record."""
        record = self.pods.get(pod.uid)
        if record is None:
            record = PodRecord(name=pod.name, number=len(self.pods) + 1, created_s=now_s, late=late)
            self.pods[pod.uid] = record
        self.live[pod.name] = pod.uid
        record.node = pod.node or record.node
        if pod.is_scheduled and record.scheduled_s is None:
            record.scheduled_s, record.late = now_s, record.late or late
        if pod.running and record.running_s is None:
            record.running_s, record.late = now_s, record.late or late
            record.took_s = pod.running_for_s if record.late else now_s - record.created_s
        if pod.ready and record.ready_s is None:
            record.ready_s, record.late = now_s, record.late or late
        record.runs = pod.running
        record.no_room, record.attach_limit = pod.no_room, pod.attach_limit
        if not pod.no_room:
            record.full_since_s = None
        elif record.full_since_s is None:
            record.full_since_s = now_s
        return record

    def pod_gone(self, uid: str) -> PodRecord | None:
        """Note that a pod no longer exists; return its record, None if the pod does not belong to the ramp."""
        record = self.pods.get(uid)
        if record is not None:
            record.is_deleted, record.runs = True, False
            if self.live.get(record.name) == uid:
                del self.live[record.name]
        return record

    def take_claim(self, name: str, *, created_at: str, volume: str, now_s: float, late: bool) -> ClaimRecord:
        """Take a claim as it is now; `volume` is empty while it is not bound."""
        record = self.claims.setdefault(name, ClaimRecord(created_at=created_at))
        if volume and record.bound_s is None:
            record.bound_s, record.volume, record.late = now_s, volume, late
        return record

    def take_attachment(self, volume: str, now_s: float, *, late: bool) -> None:
        """Note that a volume, of the ramp or not, is attached."""
        if volume not in self.attached_s:
            self.attached_s[volume] = now_s
            if late:
                self.attached_late.add(volume)

    def running_pods(self) -> Iterator[PodRecord]:
        """Return the pods that run now."""
        return (record for record in self.pods.values() if record.runs)
