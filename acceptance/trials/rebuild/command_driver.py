"""The driver for any system: trigger, health and progress are commands of the target file, run on this machine."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence

from acceptance.process.commands import CommandResult, run_command
from acceptance.settings.target_plans import PLACEHOLDERS, CommandPlan
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.driver import Phase, RebuildState, TargetVolume, Undo

WHOLE, NOT_WHOLE = 0, 1
"""Exit statuses of the health command; any other one is a failure of the command itself."""


class CommandDriver:
    """Implements `RebuildDriver`."""

    name = "command"
    of_one_volume = True

    def __init__(self, plan: CommandPlan) -> None:
        self._plan = plan

    def require_ready(self) -> None:
        """Do nothing: only when a command runs, with its volume, does it show whether it works."""

    def rebuild_of(self, volume: TargetVolume) -> CommandRebuild:
        """See `RebuildDriver`."""
        values = {name: str(getattr(volume, name)) for name in PLACEHOLDERS}
        return CommandRebuild(self._plan, values)


class CommandRebuild:
    """Implements `ReplicaRebuild`."""

    def __init__(self, plan: CommandPlan, values: Mapping[str, str]) -> None:
        self._plan = plan
        self._values = values
        self._complaint = ""

    @property
    def resolution_s(self) -> float:
        """See `ReplicaRebuild`: the resolution that the target file states for its commands."""
        return self._plan.resolution_s

    def require_whole(self) -> None:
        """See `ReplicaRebuild`; the health command must confirm it before anything is done."""
        run = self._run(self._plan.healthy)
        if run.status == NOT_WHOLE:
            raise run.failure(
                f"{WHOLE}: all replicas of volume {self._values['volume']} must be complete before one is removed"
            )
        self._require_answer(run)

    def trigger(self) -> str:
        """See `ReplicaRebuild`."""
        run = self._run(self._plan.trigger)
        if run.status:
            raise run.failure("0 from the trigger")
        return (run.stdout.strip().splitlines() or [f"`{' '.join(run.words)}`"])[-1]

    def look(self) -> RebuildState:
        """See `ReplicaRebuild`. Without a progress command the rebuild runs from the trigger on, because nothing
        reports otherwise."""
        run = self._run(self._plan.healthy)
        self._require_answer(run)
        self._complaint = run.output_end.strip()
        if run.status == WHOLE:
            return RebuildState(phase="whole", description="all replicas complete", progress=1.0)
        if not self._plan.progress:
            return RebuildState(phase="rebuilding", description="not complete yet")
        share = self._progress()
        if share is None:
            return RebuildState(phase="rebuilding", description="not complete yet, progress unknown")
        phase: Phase = "rebuilding" if share > 0.0 else "waiting"
        return RebuildState(phase=phase, description=f"{100 * share:.1f} % rebuilt", progress=share)

    def obstacles(self) -> list[str]:
        """See `ReplicaRebuild`."""
        return [f"the health command printed: {self._complaint}"]

    def restore(self) -> None:
        """See `ReplicaRebuild`."""
        if self._plan.restore and (run := self._run(self._plan.restore)).status:
            raise run.failure("0 from the restore command")

    def wait_settled(self) -> None:
        """See `ReplicaRebuild`: the restore command must have waited."""

    def undo(self) -> Undo | None:
        """See `ReplicaRebuild`."""
        how = shlex.join(word.format_map(self._values) for word in self._plan.restore)
        return Undo(subject=f"a replica of volume {self._values['volume']}", how=how) if how else None

    def settings(self) -> dict[str, str]:
        """See `ReplicaRebuild`: the commands themselves."""
        commands = {"trigger": self._plan.trigger, "healthy": self._plan.healthy, "progress": self._plan.progress}
        return {name: " ".join(words) for name, words in commands.items() if words}

    def rebuilt_bytes(self) -> int | None:
        """See `ReplicaRebuild`."""
        return None

    def _progress(self) -> float | None:
        """Return the share that the progress command prints: a percentage, or `unknown`."""
        run = self._run(self._plan.progress)
        if run.status:
            raise run.failure("0 from the progress command")
        text = run.stdout.strip()
        if text == "unknown":
            return None
        try:
            percent = float(text.removesuffix("%"))
        except ValueError:
            percent = math.nan
        if not math.isfinite(percent):
            raise EnvironmentFailure(
                f"`{' '.join(run.words)}`: expected a percentage such as 37.5, or unknown, found {text[:200]!r}"
            )
        return min(max(percent / 100, 0.0), 1.0)

    def _require_answer(self, run: CommandResult) -> None:
        if run.status not in (WHOLE, NOT_WHOLE):
            raise run.failure(f"{WHOLE} (all replicas complete) or {NOT_WHOLE} (not yet) from the health command")

    def _run(self, words: Sequence[str]) -> CommandResult:
        return run_command(words, values=self._values, timeout_s=self._plan.timeout_s)
