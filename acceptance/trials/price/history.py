"""The history of one pod while it was watched: CPU that never runs backwards, memory, and restarts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from acceptance.cluster.pod_usage import ContainerState, Reading, WatchedPod

Point = tuple[float, float]
MOST_GAP_S = 45.0
"""Seconds between two readings: over a longer gap nothing is known, because a kubelet checks a pod every 10 to 30 s."""


@dataclass(kw_only=True)
class PodHistory:
    """The readings of one pod. `cpu`: CPU seconds since the first reading; `memory`: bytes. Times are in s, by the
    clock of the kubelet until `settle`."""

    cpu: list[Point] = field(default_factory=list)
    memory: list[Point] = field(default_factory=list)
    restarts: list[str] = field(default_factory=list)
    restarted_s: list[float] = field(default_factory=list)
    _counter: float = 0.0
    _ahead_s: float | None = None
    _uid: str = ""
    _may_go: bool = False
    _containers: dict[str, ContainerState] = field(default_factory=dict)

    def take_cpu(self, reading: Reading, *, now_s: float) -> None:
        """Take a reading of CPU. A counter that fell was restarted: only what it shows since then is known to be
        used."""
        at_s = self._time_of(reading, now_s)
        if self.cpu and at_s <= self.cpu[-1][0]:
            return
        cpu_s = reading.value - self._counter if reading.value >= self._counter else reading.value
        self.cpu.append((at_s, self.cpu[-1][1] + cpu_s if self.cpu else 0.0))
        self._counter = reading.value

    def take_memory(self, reading: Reading, *, now_s: float) -> None:
        """Take a reading of the working set; the same reading counts once."""
        at_s = self._time_of(reading, now_s)
        if not self.memory or at_s > self.memory[-1][0]:
            self.memory.append((at_s, reading.value))

    def take_state(self, pod: WatchedPod, *, now_s: float) -> None:
        """Keep in words what was restarted since the pod was last seen."""
        events = []
        if self._uid and pod.uid != self._uid:
            events.append("was replaced by a new pod of the same name")
            self._containers = {}
        for name, state in pod.containers.items():
            before = self._containers.get(name)
            if self._uid and (more := state.restarts - (before.restarts if before else 0)) > 0:
                times = "once" if more == 1 else f"{more} times"
                last_end = f" (last end: {state.last_end})" if state.last_end else ""
                events.append(f"container {name} restarted {times}{last_end}")
        if events:
            self.restarts += events
            self.restarted_s.append(now_s)
        self._uid, self._containers, self._may_go = pod.uid, dict(pod.containers), pod.of_a_job

    def note_deletion(self, *, now_s: float) -> None:
        """Note that the pod no longer exists: once, until it is seen again. The end of a pod of a Job is no news."""
        if self._uid and not self._may_go:
            self.restarts.append("was deleted")
            self.restarted_s.append(now_s)
        self._uid, self._containers = "", {}

    def settle(self) -> None:
        """Convert the times to this machine's clock, whatever the kubelet's clock is; call it once all is read.

        They are shifted so that the freshest reading is of the moment at which it was requested.
        """
        if (ahead_s := self._ahead_s) is not None:
            self.cpu = [(at_s - ahead_s, value) for at_s, value in self.cpu]
            self.memory = [(at_s - ahead_s, value) for at_s, value in self.memory]

    def _time_of(self, reading: Reading, now_s: float) -> float:
        if reading.at_s is None:
            return now_s
        self._ahead_s = reading.at_s - now_s if self._ahead_s is None else max(self._ahead_s, reading.at_s - now_s)
        return reading.at_s


def at(points: Sequence[Point], when_s: float) -> float | None:
    """Return the value at a time, on the line between the readings next to it; None outside of them, or in a long
    gap."""
    place = bisect_left(points, (when_s,))
    if place < len(points) and points[place][0] == when_s:
        return points[place][1]
    if place in (0, len(points)) or points[place][0] - points[place - 1][0] > MOST_GAP_S:
        return None
    (before_s, before), (after_s, after) = points[place - 1], points[place]
    return before + (after - before) * (when_s - before_s) / (after_s - before_s)
