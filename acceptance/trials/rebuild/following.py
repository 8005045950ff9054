"""One rebuild from its trigger to its end, timed by the suite's own clock from looks at the driver."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from acceptance.cluster.waiting import wait_for
from acceptance.process.clock import now_s
from acceptance.results.rebuilds import TimedRebuild
from acceptance.text.errors import EnvironmentFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials import Say
from acceptance.trials.rebuild.driver import RebuildState, ReplicaRebuild
from acceptance.trials.rebuild.model import ProgressPoint, rates

UNSEEN_S = 1.0
"""A rebuild that is over at the first look, so soon after its trigger, was most likely none."""


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """How long a rebuild may take to begin, and then to end (s)."""

    begin_s: float
    end_s: float


@dataclass(kw_only=True)
class _Looks:
    """What was seen, and when: s since the trigger."""

    rebuild: ReplicaRebuild
    say: Say
    about: str
    triggered: float
    before_s: float = 0.0
    last_s: float = 0.0
    progress: list[ProgressPoint] = field(default_factory=list)

    def look(self) -> RebuildState:
        """One look; its moment is that before it was asked for, so that no rebuild seems longer than it was."""
        at_s = now_s() - self.triggered
        seen = self.rebuild.look()
        self.before_s, self.last_s = self.last_s, at_s
        if seen.progress is not None and seen.phase != "waiting":
            self.progress.append(ProgressPoint(at_s=at_s, share=seen.progress))
        self.say(f"{self.about}: {seen.description}, {at_s:.0f} s")
        return seen

    @property
    def uncertainty_s(self) -> float:
        """How much earlier than the last look it may have been so: as long as the look before it, and what that told,
        are ago."""
        return self.last_s - self.before_s + self.rebuild.resolution_s


def follow_rebuild(rebuild: ReplicaRebuild, *, about: str, size: int, timeouts: Timeouts, say: Say) -> TimedRebuild:
    """Trigger the rebuild and look until all replicas are whole; `size` bytes are rebuilt, `about` names them.

    It has begun when it is first seen to go on; where it never was, when the trigger was done, and then it may have
    taken any part of that time. Tries that failed and that the system makes anew belong to the time. Raises
    StorageFailure when it does not begin, fails for good or does not end, EnvironmentFailure when there was none to be
    seen.
    """
    triggered = now_s()
    done = rebuild.trigger()
    lost_s = now_s() - triggered
    looks = _Looks(rebuild=rebuild, say=say, about=about, triggered=triggered, last_s=lost_s)
    begun = over = wait_for(
        f"{about} to begin ({done})",
        look=looks.look,
        ready=lambda seen: seen.phase != "waiting",
        state=lambda seen: seen.description,
        events=rebuild.obstacles,
        timeout_s=timeouts.begin_s,
    )
    started_s, uncertainty_s = looks.last_s, looks.uncertainty_s
    if begun.phase == "whole":
        if looks.last_s - lost_s < UNSEEN_S:
            raise EnvironmentFailure(
                f"{about}: all replicas were whole at the first look after the trigger ({done}), so the suite "
                "saw no rebuild; check that the trigger removes a replica's data, and that it does not end "
                "before the storage knows"
            )
        started_s, uncertainty_s = lost_s, looks.last_s - lost_s
    else:
        over = wait_for(
            f"{about} to end ({done})",
            look=looks.look,
            ready=lambda seen: seen.phase == "whole",
            state=lambda seen: seen.description,
            events=rebuild.obstacles,
            timeout_s=timeouts.end_s,
        )
        uncertainty_s += looks.uncertainty_s
    if looks.progress:
        looks.progress.append(ProgressPoint(at_s=looks.last_s, share=1.0))
    say(f"{about}: whole after {format_quantity(looks.last_s - started_s, unit='s')}")
    return TimedRebuild(
        triggered=_moment(triggered),
        started=_moment(triggered + started_s),
        finished=_moment(triggered + looks.last_s),
        seconds=looks.last_s - started_s,
        uncertainty_s=uncertainty_s,
        trigger=done,
        failures=list(over.failures),
        rates=rates(looks.progress, size=rebuild.rebuilt_bytes() or size),
    )


def _moment(epoch_s: float) -> datetime:
    return datetime.fromtimestamp(epoch_s, UTC)
