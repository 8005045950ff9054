"""Several nodes that go down together while a pod writes records, as in a power cut of a rack; then all come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from acceptance.trials.crashes.disturbing import DisturbedTrial
from acceptance.trials.crashes.failing_over import Stopwatch, follow_failover
from acceptance.trials.crashes.kubelets import while_away
from acceptance.trials.crashes.outage import JointOutage
from acceptance.trials.crashes.reading import finish_reading, reader_plan
from acceptance.trials.crashes.shutting_down import figures_of_move
from acceptance.trials.crashes.trial import Crash
from acceptance.trials.crashes.writer import Writer


@dataclass(frozen=True, kw_only=True)
class JointRestartTrial(DisturbedTrial):
    """A trial that takes all nodes of `disturbance` down, and then restores all."""

    def _crash(self, writer: Writer, volume: str, other_nodes: Sequence[str]) -> Crash:
        """Take all nodes down and restore them; then a pod must write to the volume, and find all records."""
        workspace, plan = self.workspace, self.disturbance
        self._tell(f"nodes {', '.join(plan.nodes)} are taken down together")
        with JointOutage(workspace.api, plan, namespace=workspace.namespace) as outage:
            crashed_at = datetime.now(UTC)
            self._take_away(writer)
            while_away(plan.durations_s[0], subject=outage.subject)
            outage.end()
        watch = Stopwatch(began_s=outage.ended_s)
        self._tell("all nodes are back; a pod must be able to use the volume")
        reader = reader_plan(workspace, self.claim, token=writer.token, node=None)
        follow_failover(workspace, reader, attachments=(), watch=watch, timeout_s=self.settings.failover_s)
        reading = finish_reading(workspace, reader)
        durability = self._record(writer, reading, crashed_at=crashed_at, cause=outage.cause)
        return Crash(durability=durability, figures=figures_of_move(self._failover_record(durability, watch)))
