"""A node that is cut off from the network while it lives on: another node takes the volume over, then it rejoins."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from acceptance.cluster.attachments import attached_to
from acceptance.cluster.claims import Claim
from acceptance.cluster.objects import object_name
from acceptance.cluster.pod_manifest import volume_path
from acceptance.cluster.workspace import Workspace
from acceptance.results.crashes import DurabilityRecord
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.crashes.disturbing import AGAIN_S, DisturbedTrial
from acceptance.trials.crashes.draining import delete, wait_let_go
from acceptance.trials.crashes.failing_over import NODE_LOST, POD_OFF, RUNNING, WRITES, Stopwatch
from acceptance.trials.crashes.kubelets import mounts_left
from acceptance.trials.crashes.outage import Outage
from acceptance.trials.crashes.reading import read_records, reader_plan
from acceptance.trials.crashes.shutting_down import figures_of_move
from acceptance.trials.crashes.trial import LEAST_RECORDS, Crash
from acceptance.trials.crashes.writer import LEDGER, Writer

SUCCESSOR = "successor"
SUCCESSORS_LEDGER = f"{volume_path(0)}/records-elsewhere"


class Successor(Writer):
    """The writer that takes over the volume on another node than `away_from`, with a file of its own."""

    def __init__(self, workspace: Workspace, claim: Claim, *, away_from: str) -> None:
        super().__init__(workspace, claim, node=None, ledgers=(SUCCESSORS_LEDGER,), heeds_term=True)
        self.plan = replace(self.plan, name=object_name(claim.name, SUCCESSOR), away_from=away_from)
        self._stream, self._log = self._new_log()  # of the pod with this name


@dataclass(frozen=True, kw_only=True)
class CutOffTrial(DisturbedTrial):
    """A failover from a node that lives on: its pod may write while another one does, and reports that later."""

    def _crash(self, writer: Writer, volume: str, other_nodes: Sequence[str]) -> Crash:
        """Cut the node off, have a successor write elsewhere, let the node rejoin; then read the records of both."""
        api = self.workspace.api
        attachment = attached_to(api, volume=volume, node=writer.node)
        mounts = mounts_left(self.kubelet, volume=volume, node=writer.node) if self.kubelet else list
        shows = bool([*attachment.find_signs(api), *mounts()])
        patient = replace(self.workspace, timeout_s=self.settings.failover_s)
        self._tell(f"node {writer.node} is cut off")
        cut_at, before, watch = datetime.now(UTC), writer.acknowledged_count, Stopwatch(began_s=writer.last_s)
        plan, namespace = self.disturbance.outage, self.workspace.namespace
        with Outage(api, plan, node=writer.node, namespace=namespace) as outage:
            outage.wait_not_ready(timeout_s=self.settings.failover_s)
            watch.note(NODE_LOST)
            self._take_away(writer)
            watch.note(POD_OFF)
            self._tell(f"node {writer.node} is lost; a pod on another node takes over the volume")
            with Successor(patient, self.claim, away_from=writer.node) as successor:
                watch.note(RUNNING)
                successor.write_for(self.settings.write_s, records=LEAST_RECORDS)
                watch.note(WRITES)
                self._tell(f"node {writer.node} rejoins while the other pod writes")
                outage.end()
                successor.write_for(AGAIN_S, records=successor.acknowledged_count + LEAST_RECORDS)
                with suppress(EnvironmentFailure):  # what never arrives here is not demanded
                    writer.wait_over()
                delete(api, successor, timeout_s=self.settings.failover_s)
        late = writer.acknowledged_count - before
        cause = f"{outage.cause}; the pod on the node later reported {late:,} records as durable since then"
        durability = self._read(writer, LEDGER, on=successor.node, crashed_at=cut_at, cause=cause)
        timeout_s = self.workspace.timeout_s
        leftovers = wait_let_go(api, attachment, timeout_s=timeout_s, also=mounts) if shows else None
        cause = f"node {writer.node} rejoined while the pod wrote"
        further = self._read(successor, SUCCESSORS_LEDGER, on=writer.node, crashed_at=cut_at, cause=cause)
        moved = self._failover_record(durability, watch, leftovers=leftovers)
        return Crash(
            durability=durability,
            failover=moved,
            figures=figures_of_move(moved),
            further=further.model_copy(update={"failure": "node-rejoined"}),
        )

    def _read(self, writer: Writer, ledger: str, *, on: str, crashed_at: datetime, cause: str) -> DurabilityRecord:
        """Return which records of the writer a pod on the node `on` finds."""
        plan = reader_plan(self.workspace, self.claim, token=writer.token, node=on, ledger=ledger)
        return self._record(writer, read_records(self.workspace, plan), crashed_at=crashed_at, cause=cause)
