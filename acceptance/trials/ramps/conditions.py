"""When a ramp ends: fed with what becomes of its pods and with the time, it says what ended it. Pure.

The three conditions are those of the Longhorn 1.6 reference report ("Longhorn Control Plane Performance"); what the
report leaves open is said at each.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass

from acceptance.limits.ramps import StopWhen
from acceptance.results.ramps import StopKind
from acceptance.text.quantities import format_quantity

# The rate of pods that become running counts when so many spans of it have passed since the first one ran: the first
# pods of a node wait for their image.
WARM_UP_SPANS = 2
# It counts while at least so many times as many pods could have become running: of three that are left to start, of
# pods that are asked for as slowly, or when all that are to run do so, nobody can expect more.
ON_OFFER = 2


@dataclass(frozen=True, kw_only=True)
class Stop:
    """What ended a ramp, and in words. `since_pods`: how many pods there were when what ended it began."""

    kind: StopKind
    reason: str
    since_pods: int


class StopConditions:
    """Knows each pod by its uid. All times in s, by one clock, and never going back.

    `goal`: so many pods are to run at once. `timeout_s`: how long nothing may happen while pods are waited for.
    """

    def __init__(self, rules: StopWhen, *, goal: int, timeout_s: float, began_s: float = 0.0) -> None:
        self._rules = rules
        self._goal = goal
        self._timeout_s = timeout_s
        self._moved_s = began_s
        self._rank: dict[str, int] = {}
        self._created_s: dict[str, float] = {}
        self._waiting: deque[str] = (
            deque()
        )  # in the order of their creation; those that run leave it when it is looked at
        self._starts: list[float] = []
        self._started: set[str] = set()
        self._running: set[str] = set()
        self._aside: set[str] = set()
        self._slow: dict[str, None] = {}
        self._faults: dict[str, int] = {}
        self._held: Stop | None = None
        self._ended: Stop | None = None

    @property
    def running(self) -> int:
        """How many pods run now."""
        return len(self._running)

    def created(self, uid: str, at_s: float) -> None:
        """A pod was made."""
        if uid in self._rank:
            return
        self._rank[uid] = len(self._rank) + 1
        self._created_s[uid] = self._moved_s = at_s
        self._waiting.append(uid)

    def runs(self, uid: str, at_s: float, *, took_s: float | None = None) -> None:
        """A pod runs. `took_s`: how long that took, where it is known better than from when it was told."""
        self._running.add(uid)
        if uid in self._started:
            return
        self._started.add(uid)
        self._aside.discard(uid)
        self._starts.append(at_s)
        self._moved_s = at_s
        took_s = at_s - self._created_s[uid] if took_s is None else took_s
        if self._rules.slow_starts is not None and took_s > self._rules.slow_starts.longer_than_s:
            self._slow[uid] = None

    def stopped(self, uid: str) -> None:
        """A pod runs no more, for now or for good."""
        self._running.discard(uid)

    def fault(self, uid: str, count: int) -> None:
        """So often the pod has crashed or its containers were restarted, all in all."""
        if count > self._faults.get(uid, 0):
            self._faults[uid] = count

    def set_aside(self, uid: str) -> None:
        """A pod does not run for a reason that is none of the storage's: nobody waits for it."""
        if uid not in self._started:
            self._aside.add(uid)

    def take_back(self, uid: str) -> None:
        """A pod that was set aside is waited for again."""
        if uid in self._aside:
            self._aside.discard(uid)
            self._waiting.appendleft(uid)  # it may have left already, and is older than those that have not

    def hold(self, kind: StopKind, reason: str) -> None:
        """No more pods will come; the ramp ends when those that are still starting run, or another condition holds."""
        if self._held is None:
            self._held = Stop(kind=kind, reason=reason, since_pods=len(self._rank) - len(self._aside))

    def end(self, kind: StopKind, reason: str) -> None:
        """The ramp ends at once, unless the storage's own failings ended it."""
        if self._ended is None:
            self._ended = Stop(kind=kind, reason=reason, since_pods=self.running)

    @property
    def held(self) -> bool:
        """Whether no more pods will come."""
        return self._held is not None

    def found(self, now_s: float) -> Stop | None:
        """What ends the ramp now, the storage's own failings first."""
        failing = self._crashes() or self._slow_starts(now_s) or self._rate(now_s)
        return failing or self._ended or self._over() or self._stuck(now_s)

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
        """A pod that waits for longer than the limit counts at once: it cannot become a quick one any more."""
        rule = self._rules.slow_starts
        if rule is None:
            return None
        while self._waiting and (
            (uid := self._waiting[0]) in self._started
            or uid in self._aside
            or now_s - self._created_s[uid] > rule.longer_than_s
        ):
            self._waiting.popleft()
            if uid not in self._started and uid not in self._aside:
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
        became, wanted = len(self._starts) - before, rule.below_per_s * rule.over_s
        on_offer = len(self._rank) - len(self._aside) - before
        if became >= wanted or on_offer < ON_OFFER * wanted:
            return None
        reason = (
            f"{became} pods became running in {format_quantity(rule.over_s, unit='s')}, fewer than {wanted:g}, of "
            f"{on_offer} that waited: {rule.because}"
        )
        return Stop(kind="running_rate", reason=reason, since_pods=len(self._starts))

    def _over(self) -> Stop | None:
        if self.running >= self._goal:
            return Stop(kind="goal", reason=f"all {self._goal} pods ran", since_pods=self.running)
        left = len(self._rank) - len(self._started | self._aside)
        return self._held if self._held is not None and left <= 0 else None

    def _stuck(self, now_s: float) -> Stop | None:
        if now_s - self._moved_s <= self._timeout_s:
            return None
        standstill = format_quantity(self._timeout_s, unit="s")
        reason = (
            f"for {standstill} no pod was made and none became running; {len(self._rank)} were made, "
            f"{self.running} run, the goal is {self._goal}"
        )
        return Stop(kind="stuck", reason=reason, since_pods=len(self._starts))
