"""The end of a ramp: fed with the states of its pods and with the time, it reports what ended the ramp. Pure.

The three conditions are those of the Longhorn 1.6 reference report ("Longhorn Control Plane Performance"); each says
what the report leaves undecided.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass

from acceptance.limits.ramps import StopWhen
from acceptance.results.ramps import StopKind
from acceptance.text.quantities import format_quantity

# The rate of pods that become running counts when this many spans of it have passed since the first one ran: the first
# pods of a node wait for their image.
WARM_UP_SPANS = 2
# It counts while at least this many times as many pods could have become running. Nobody can expect more of three pods
# that are left to start, of pods that are requested as slowly, or when all that are to run do so.
ON_OFFER = 2


@dataclass(frozen=True, kw_only=True)
class Stop:
    """The condition that ended a ramp, and its reason in words. `since_pods`: the number of pods when the condition
    began."""

    kind: StopKind
    reason: str
    since_pods: int


class StopConditions:
    """The conditions, which know each pod by its uid. All times are in s, by one clock that never goes back.

    `goal`: the number of pods that are to run at once. `timeout_s`: how long nothing may happen while pods are waited
    for.
    """

    def __init__(self, rules: StopWhen, *, goal: int, timeout_s: float, began_s: float = 0.0) -> None:
        self._rules = rules
        self._goal = goal
        self._timeout_s = timeout_s
        self._moved_s = began_s
        self._rank: dict[str, int] = {}
        self._created_s: dict[str, float] = {}
        self._waiting: deque[str] = deque()  # in the order of their creation; those that run leave it at the next check
        self._starts: list[float] = []
        self._started_uids: set[str] = set()
        self._running: set[str] = set()
        self._aside: set[str] = set()
        self._slow: dict[str, None] = {}
        self._faults: dict[str, int] = {}
        self._held_stop: Stop | None = None
        self._end_stop: Stop | None = None

    @property
    def running(self) -> int:
        """The number of pods that run now."""
        return len(self._running)

    def note_creation(self, uid: str, at_s: float) -> None:
        """Note that a pod was created."""
        if uid in self._rank:
            return
        self._rank[uid] = len(self._rank) + 1
        self._created_s[uid] = self._moved_s = at_s
        self._waiting.append(uid)

    def runs(self, uid: str, at_s: float, *, took_s: float | None = None) -> None:
        """Note that a pod runs. `took_s`: how long its start took, if that is known better than by when it was
        reported."""
        self._running.add(uid)
        if uid in self._started_uids:
            return
        self._started_uids.add(uid)
        self._aside.discard(uid)
        self._starts.append(at_s)
        self._moved_s = at_s
        took_s = at_s - self._created_s[uid] if took_s is None else took_s
        if self._rules.slow_starts is not None and took_s > self._rules.slow_starts.longer_than_s:
            self._slow[uid] = None

    def note_stop(self, uid: str) -> None:
        """Note that a pod runs no more, for now or for good."""
        self._running.discard(uid)

    def fault(self, uid: str, count: int) -> None:
        """Note how often the pod has crashed or its containers were restarted, in total."""
        if count > self._faults.get(uid, 0):
            self._faults[uid] = count

    def set_aside(self, uid: str) -> None:
        """Note that a pod does not run for a reason that is not the storage's: nothing waits for it."""
        if uid not in self._started_uids:
            self._aside.add(uid)

    def take_back(self, uid: str) -> None:
        """Wait again for a pod that was set aside."""
        if uid in self._aside:
            self._aside.discard(uid)
            self._waiting.appendleft(uid)  # it may have left already, and is older than those that have not

    def hold(self, kind: StopKind, reason: str) -> None:
        """Expect no more pods; the ramp ends when those that are still starting run, or another condition holds."""
        if self._held_stop is None:
            self._held_stop = Stop(kind=kind, reason=reason, since_pods=len(self._rank) - len(self._aside))

    def end(self, kind: StopKind, reason: str) -> None:
        """End the ramp immediately, unless the storage's own failures ended it."""
        if self._end_stop is None:
            self._end_stop = Stop(kind=kind, reason=reason, since_pods=self.running)

    @property
    def is_on_hold(self) -> bool:
        """True if no more pods will come."""
        return self._held_stop is not None

    def find_stop(self, now_s: float) -> Stop | None:
        """Return what ends the ramp now, the storage's own failures first; None if nothing does."""
        failing = self._crashes() or self._slow_starts(now_s) or self._rate(now_s)
        return failing or self._end_stop or self._over() or self._stuck(now_s)

    def _crashes(self) -> Stop | None:
        rule, count = self._rules.crashes, sum(self._faults.values())
        if rule is None or count <= rule.more_than:
            return None
        since = min(self._rank[uid] for uid in self._faults)
        reason = (
            f"{count} crashing pods and restarted containers, more than {rule.more_than}; the first was pod number "
            f"{since}: {rule.because}"
        )
        return Stop(kind="crashes", reason=reason, since_pods=since - 1)

    def _slow_starts(self, now_s: float) -> Stop | None:
        """Count a pod that waits for longer than the limit immediately: it cannot become a quick one any more."""
        rule = self._rules.slow_starts
        if rule is None:
            return None
        while self._waiting and (
            (uid := self._waiting[0]) in self._started_uids
            or uid in self._aside
            or now_s - self._created_s[uid] > rule.longer_than_s
        ):
            self._waiting.popleft()
            if uid not in self._started_uids and uid not in self._aside:
                self._slow[uid] = None
        if len(self._slow) <= rule.more_than:
            return None
        since = min(self._rank[uid] for uid in self._slow)
        reason = (
            f"{len(self._slow)} pods took longer than {format_quantity(rule.longer_than_s, unit='s')} from creation to "
            f"running, more than {rule.more_than}; the first was pod number {since}: {rule.because}"
        )
        return Stop(kind="slow_starts", reason=reason, since_pods=since - 1)

    def _rate(self, now_s: float) -> Stop | None:
        rule = self._rules.running_rate
        if rule is None or not self._starts or now_s < self._starts[0] + WARM_UP_SPANS * rule.over_s:
            return None
        before = bisect_right(self._starts, now_s - rule.over_s)
        became, minimum = len(self._starts) - before, rule.below_per_s * rule.over_s
        on_offer = len(self._rank) - len(self._aside) - before
        if became >= minimum or on_offer < ON_OFFER * minimum:
            return None
        reason = (
            f"{became} pods became running in {format_quantity(rule.over_s, unit='s')}, fewer than {minimum:g}, of "
            f"{on_offer} that waited: {rule.because}"
        )
        return Stop(kind="running_rate", reason=reason, since_pods=len(self._starts))

    def _over(self) -> Stop | None:
        if self.running >= self._goal:
            return Stop(kind="goal", reason=f"all {self._goal} pods ran", since_pods=self.running)
        waiting_count = len(self._rank) - len(self._started_uids | self._aside)
        return self._held_stop if self._held_stop is not None and waiting_count <= 0 else None

    def _stuck(self, now_s: float) -> Stop | None:
        if now_s - self._moved_s <= self._timeout_s:
            return None
        standstill = format_quantity(self._timeout_s, unit="s")
        reason = (
            f"for {standstill} no pod was created and none became running; {len(self._rank)} were created, "
            f"{self.running} run, the goal is {self._goal}"
        )
        return Stop(kind="stuck", reason=reason, since_pods=len(self._starts))
