"""A node that is shut down in order while a pod on it writes records; its volume is then used on another node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acceptance.cluster.attachments import attached_to
from acceptance.judging.crashes import LOOK_S
from acceptance.results.crashes import FailoverRecord
from acceptance.results.disturbances import DISTURBANCES
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.trials.crashes.disturbing import DisturbedTrial
from acceptance.trials.crashes.draining import wait_let_go
from acceptance.trials.crashes.kubelets import mounts_left
from acceptance.trials.crashes.trial import Crash
from acceptance.trials.crashes.writer import Writer


@dataclass(frozen=True, kw_only=True)
class ShutDownTrial(DisturbedTrial):
    """A failover whose node is shut down by the commands of `disturbance`: its pods are asked to end before."""

    def _crash(self, writer: Writer, volume: str, other_nodes: Sequence[str]) -> Crash:
        """Have the volume used elsewhere; once the node is back, nothing of the volume must remain there."""
        api, timeout_s = self.workspace.api, self.workspace.timeout_s
        attachment = attached_to(api, volume=volume, node=writer.node)
        mounts = mounts_left(self.kubelet, volume=volume, node=writer.node) if self.kubelet else list
        shows = bool([*attachment.find_signs(api), *mounts()])
        crash = replace(self, node_failure=self.disturbance.outage)._fail_over(writer, volume)
        assert crash.failover is not None  # failovers always have one
        leftovers = wait_let_go(api, attachment, timeout_s=timeout_s, also=mounts) if shows else None
        moved = crash.failover.model_copy(update={"stayed": leftovers})
        return replace(crash, failover=moved, figures=figures_of_move(moved))


def figures_of_move(record: FailoverRecord) -> FiguresRecord:
    """Return the time from the last durable write on the node to the first on another."""
    disturbance, seconds = DISTURBANCES[record.failure], record.seconds
    return FiguresRecord(
        subject="durability",
        storage_class=record.storage_class,
        done=f"{disturbance.title}, from {record.failed_node} to {record.node}",
        figures=[
            NamedFigure(
                metric=disturbance.metric,
                value=seconds,
                low=max(seconds - LOOK_S, 0.0),
                high=seconds + LOOK_S,
                unit="s",
            )
        ],
        rows=[{"Phase": phase.name, "Seconds": round(phase.seconds, 1)} for phase in record.phases],
    )
