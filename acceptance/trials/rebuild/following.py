"""One rebuild from its trigger to its end, timed by the suite's own clock from polls of the driver."""

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
"""A rebuild that is over at the first poll, this soon after its trigger, was most likely none."""


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """The time in s that a rebuild may take to begin, and then to end."""

    begin_s: float
    end_s: float


@dataclass(kw_only=True)
class _Looks:
    """The observations, and their times: s since the trigger."""

    rebuild: ReplicaRebuild
    say: Say
    about: str
    triggered_s: float
    before_s: float = 0.0
    last_s: float = 0.0
    progress: list[ProgressPoint] = field(default_factory=list)

    def look(self) -> RebuildState:
        """Poll once; the time is that before the request, so that no rebuild seems longer than it was."""
        at_s = now_s() - self.triggered_s
        state = self.rebuild.look()
        self.before_s, self.last_s = self.last_s, at_s
        if state.progress is not None and state.phase != "waiting":
            self.progress.append(ProgressPoint(at_s=at_s, share=state.progress))
        self.say(f"{self.about}: {state.description}, {at_s:.0f} s")
        return state

    @property
    def uncertainty_s(self) -> float:
        """The time by which the state may be older than the last poll: since the poll before it, plus the age of that
        poll's answer."""
        return self.last_s - self.before_s + self.rebuild.resolution_s


def follow_rebuild(rebuild: ReplicaRebuild, *, about: str, size: int, timeouts: Timeouts, say: Say) -> TimedRebuild:
    """Trigger the rebuild and poll until all replicas are complete; `size` bytes are rebuilt, `about` names them.

    It begins when it is first seen to run; if it never was, when the trigger was done, and then it may have taken any
    part of that time. Tries that failed and that the system repeats belong to the time. Raises StorageFailure if it
    does not begin, fails for good or does not end, EnvironmentFailure if there was none to be seen.
    """
    triggered_s = now_s()
    action = rebuild.trigger()
    lost_s = now_s() - triggered_s
    looks = _Looks(rebuild=rebuild, say=say, about=about, triggered_s=triggered_s, last_s=lost_s)
    begin = over = wait_for(
        f"{about} to begin ({action})",
        look=looks.look,
        ready=lambda state: state.phase != "waiting",
        state=lambda state: state.description,
        events=rebuild.obstacles,
        timeout_s=timeouts.begin_s,
    )
    started_s, uncertainty_s = looks.last_s, looks.uncertainty_s
    if begin.phase == "whole":
        if looks.last_s - lost_s < UNSEEN_S:
            raise EnvironmentFailure(
                f"{about}: all replicas were complete at the first poll after the trigger ({action}), so the suite "
                "observed no rebuild; check that the trigger removes a replica's data, and that the trigger does not "
                "end before the storage notices"
            )
        started_s, uncertainty_s = lost_s, looks.last_s - lost_s
    else:
        over = wait_for(
            f"{about} to end ({action})",
            look=looks.look,
            ready=lambda state: state.phase == "whole",
            state=lambda state: state.description,
            events=rebuild.obstacles,
            timeout_s=timeouts.end_s,
        )
        uncertainty_s += looks.uncertainty_s
    if looks.progress:
        looks.progress.append(ProgressPoint(at_s=looks.last_s, share=1.0))
    say(f"{about}: complete after {format_quantity(looks.last_s - started_s, unit='s')}")
    return TimedRebuild(
        triggered=_moment(triggered_s),
        started=_moment(triggered_s + started_s),
        finished=_moment(triggered_s + looks.last_s),
        seconds=looks.last_s - started_s,
        uncertainty_s=uncertainty_s,
        trigger=action,
        failures=list(over.failures),
        rates=rates(looks.progress, size=rebuild.rebuilt_bytes() or size),
    )


def _moment(epoch_s: float) -> datetime:
    return datetime.fromtimestamp(epoch_s, UTC)
