"""What became of one pod while it was watched: CPU that never runs backwards, memory, and restarts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from acceptance.cluster.pod_usage import ContainerState, Reading, WatchedPod

Point = tuple[float, float]
MOST_GAP_S = 45.0
"""between two readings: over a longer gap nothing is said, for a kubelet looks at a pod every 10 to 30 s"""


@dataclass(kw_only=True)
class PodHistory:
    """`cpu`: CPU seconds since the first reading; `memory`: bytes. Times are s: the kubelet's own until `settle`."""

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
        """A counter that is below what it was began anew: what it shows since then is all that is known to be used."""
        at_s = self._time_of(reading, now_s)
        if self.cpu and at_s <= self.cpu[-1][0]:
            return
        used = reading.value - self._counter if reading.value >= self._counter else reading.value
        self.cpu.append((at_s, self.cpu[-1][1] + used if self.cpu else 0.0))
        self._counter = reading.value

    def take_memory(self, reading: Reading, *, now_s: float) -> None:
        """The working set; the same reading counts once."""
        at_s = self._time_of(reading, now_s)
        if not self.memory or at_s > self.memory[-1][0]:
            self.memory.append((at_s, reading.value))

    def take_state(self, pod: WatchedPod, *, now_s: float) -> None:
        """Keep in words what was restarted since it was last seen."""
        told = []
        if self._uid and pod.uid != self._uid:
            told.append("was replaced by a new pod of the same name")
            self._containers = {}
        for name, state in pod.containers.items():
            before = self._containers.get(name)
            if self._uid and (more := state.restarts - (before.restarts if before else 0)) > 0:
                times = "once" if more == 1 else f"{more} times"
                ended = f" (last end: {state.ended})" if state.ended else ""
                told.append(f"container {name} restarted {times}{ended}")
        if told:
            self.restarts += told
            self.restarted_s.append(now_s)
        self._uid, self._containers, self._may_go = pod.uid, dict(pod.containers), pod.of_a_job

    def gone(self, *, now_s: float) -> None:
        """It is no longer there: told once, until it is seen again; that a pod of a Job ends is no news."""
        if self._uid and not self._may_go:
            self.restarts.append("was deleted")
            self.restarted_s.append(now_s)
        self._uid, self._containers = "", {}

    def settle(self) -> None:
        """Once all is read: have the times be by this machine's clock, whatever that of the kubelet is.

        They are moved so that the freshest reading is of the moment in which it was asked for.
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
    """The value at a time, on the line between the readings beside it; None outside of them, or in a long gap."""
    place = bisect_left(points, (when_s,))
    if place < len(points) and points[place][0] == when_s:
        return points[place][1]
    if place in (0, len(points)) or points[place][0] - points[place - 1][0] > MOST_GAP_S:
        return None
    (before_s, before), (after_s, after) = points[place - 1], points[place]
    return before + (after - before) * (when_s - before_s) / (after_s - before_s)
