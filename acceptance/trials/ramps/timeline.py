"""When each pod of a ramp came how far: a small record a pod, keyed by uid, so that none is lost or counted twice.

One clock for all phases: the suite's own, when the API server tells of a change. So phases have the resolution of
tenths of a second, where the timestamps of Kubernetes have that of a second, by the clocks of several machines. What is
told after a break of the connection is told late: such a pod is marked, and its start is timed by the timestamps of
Kubernetes instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from acceptance.trials.ramps.pod_view import PodView


@dataclass(slots=True, kw_only=True)
class PodRecord:
    """Times in s of the suite's clock; None for what was not seen. `took_s`: from creation to running."""

    name: str
    number: int
    created_s: float
    node: str = ""
    scheduled_s: float | None = None
    running_s: float | None = None
    ready_s: float | None = None
    took_s: float | None = None
    runs: bool = False
    gone: bool = False
    late: bool = False
    full_since_s: float | None = None
    no_room: str = ""
    attach_limit: bool = False


@dataclass(slots=True, kw_only=True)
class ClaimRecord:
    """A claim of the ramp; `created` as Kubernetes writes it."""

    created: str
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

    def take_pod(self, seen: PodView, now_s: float, *, late: bool) -> PodRecord:
        """A pod as it is now; its record."""
        record = self.pods.get(seen.uid)
        if record is None:
            record = PodRecord(name=seen.name, number=len(self.pods) + 1, created_s=now_s, late=late)
            self.pods[seen.uid] = record
        self.live[seen.name] = seen.uid
        record.node = seen.node or record.node
        if seen.scheduled and record.scheduled_s is None:
            record.scheduled_s, record.late = now_s, record.late or late
        if seen.running and record.running_s is None:
            record.running_s, record.late = now_s, record.late or late
            record.took_s = seen.running_for_s if record.late else now_s - record.created_s
        if seen.ready and record.ready_s is None:
            record.ready_s, record.late = now_s, record.late or late
        record.runs = seen.running
        record.no_room, record.attach_limit = seen.no_room, seen.attach_limit
        if not seen.no_room:
            record.full_since_s = None
        elif record.full_since_s is None:
            record.full_since_s = now_s
        return record

    def pod_gone(self, uid: str) -> PodRecord | None:
        """A pod is no more; its record, None where it was none of the ramp's."""
        record = self.pods.get(uid)
        if record is not None:
            record.gone, record.runs = True, False
            if self.live.get(record.name) == uid:
                del self.live[record.name]
        return record

    def take_claim(self, name: str, *, created: str, volume: str, now_s: float, late: bool) -> ClaimRecord:
        """A claim as it is now; `volume` is empty while it is not bound."""
        record = self.claims.setdefault(name, ClaimRecord(created=created))
        if volume and record.bound_s is None:
            record.bound_s, record.volume, record.late = now_s, volume, late
        return record

    def take_attachment(self, volume: str, now_s: float, *, late: bool) -> None:
        """A volume, of the ramp or not, is attached."""
        if volume not in self.attached_s:
            self.attached_s[volume] = now_s
            if late:
                self.attached_late.add(volume)

    def running_pods(self) -> Iterator[PodRecord]:
        """Those that run now."""
        return (record for record in self.pods.values() if record.runs)
