"""One crash on one volume: records are written, something is killed, records are read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from acceptance.cluster.attachments import attached_to, attachments_of
from acceptance.cluster.claims import Claim, wait_bound
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.cluster.out_of_service import out_of_service
from acceptance.cluster.pods import end_pod, wait_gone
from acceptance.cluster.workspace import Workspace
from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Failure
from acceptance.results.figures import FiguresRecord
from acceptance.settings.target_plans import KubeletPlan, NodeFailurePlan
from acceptance.text.errors import EnvironmentFailure, Unsupported
from acceptance.trials import Say
from acceptance.trials.crashes.acknowledged_records import lost_records, ranges, whole_records
from acceptance.trials.crashes.draining import EVICTION, evict, wait_let_go
from acceptance.trials.crashes.failing_over import BACK, NODE_LOST, POD_OFF, Stopwatch, follow_failover
from acceptance.trials.crashes.kubelets import mounts_left, while_away, wrote_on
from acceptance.trials.crashes.outage import Outage
from acceptance.trials.crashes.reading import Reading, finish_reading, read_records, reader_plan
from acceptance.trials.crashes.writer import Writer

ELSEWHERE: tuple[Failure, ...] = (
    "pod-killed-and-moved",
    "failover",
    "failover-out-of-service",
    "drained",
    "kubelet-away",
    "node-shut-down",
    "node-cut-off",
)
"""The crashes after which the volume is used from another node."""
LEAST_RECORDS = 20
AFTER_S = 3.0
"""Seconds for which records are written once a kubelet is back."""


@dataclass(frozen=True, kw_only=True)
class CrashSettings:
    """The settings of a crash. `write_s`: how long records are written before it; `failover_s`: how long a failover may
    take.

    `node`: from which they are written, None leaves that to the scheduler. `keep`: keep the claim if a crash failed or
    records are lost.
    """

    write_s: float
    failover_s: float
    node: str | None = None
    keep: bool = False


@dataclass(frozen=True, kw_only=True)
class Crash:
    """The outcome of one crash; `failover` only if the volume was to be used from another node.

    `figures`: those of a disturbance; `problem`: why the pod could not write after it, empty if it could; `further`:
    the records of a second writer.
    """

    durability: DurabilityRecord
    failover: FailoverRecord | None = None
    figures: FiguresRecord | None = None
    problem: str = ""
    further: DurabilityRecord | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A crash of the kind `failure` on the volume of `claim`; `say` reports its progress."""

    workspace: Workspace
    claim: Claim
    failure: Failure
    settings: CrashSettings
    node_failure: NodeFailurePlan | None
    say: Say
    kubelet: KubeletPlan | None = None

    def run(self) -> Crash:
        """Write, crash, read."""
        with self._new_writer() as writer:
            volume = wait_bound(self.workspace.api, self.claim, timeout_s=self.workspace.timeout_s)
            nodes = nodes_for_volume(self.workspace.api, volume, self.workspace.pods.template)
            other_nodes = [node for node in nodes if node != writer.node]
            if self.failure in ELSEWHERE and not other_nodes:
                raise Unsupported(
                    f"capability 'another node': volumes of {self.claim.storage_class} can be used from {writer.node} "
                    "only"
                )
            self._tell(f"records are written for {self.settings.write_s:.0f} s")
            writer.write_for(self.settings.write_s, records=LEAST_RECORDS)
            return self._crash(writer, volume, other_nodes)

    def _new_writer(self) -> Writer:
        heeds_term = self.failure in ("drained", "kubelet-away")
        return Writer(self.workspace, self.claim, node=self.settings.node, heeds_term=heeds_term)

    def _crash(self, writer: Writer, volume: str, other_nodes: Sequence[str]) -> Crash:
        if self.failure in ("failover", "failover-out-of-service"):
            return self._fail_over(writer, volume)
        if self.failure == "drained":
            return self._move_pod(writer, volume, leave=evict, cause=EVICTION)
        if self.failure == "kubelet-restarted":
            return self._restart_kubelet(writer)
        if self.failure == "kubelet-away":
            return self._delete_without_kubelet(writer, volume)
        if self.failure == "node-failed":
            return self._fail_node(writer)
        return self._kill_pod(writer, other_nodes[0] if self.failure == "pod-killed-and-moved" else writer.node)

    def _kill_pod(self, writer: Writer, read_on: str) -> Crash:
        crashed_at = datetime.now(UTC)
        self._take_away(writer)
        writer.wait_over()
        plan = reader_plan(self.workspace, self.claim, token=writer.token, node=read_on)
        reading = read_records(self.workspace, plan)
        return Crash(
            durability=self._record(writer, reading, crashed_at=crashed_at, cause="the pod was killed without grace")
        )

    def _fail_node(self, writer: Writer) -> Crash:
        with self._outage(writer) as outage:
            crashed_at = datetime.now(UTC)
            self._take_away(writer)
            self._tell(f"node {writer.node} has failed; the suite restores it")
            outage.end()
            plan = reader_plan(self.workspace, self.claim, token=writer.token, node=writer.node)
            reading = read_records(self.workspace, plan)
            return Crash(durability=self._record(writer, reading, crashed_at=crashed_at, cause=outage.cause))

    def _fail_over(self, writer: Writer, volume: str) -> Crash:
        settings, workspace = self.settings, self.workspace
        with self._outage(writer) as outage:
            failed_at = datetime.now(UTC) - timedelta(seconds=time.monotonic() - writer.last_s)
            watch = Stopwatch(began_s=writer.last_s)
            self._tell(f"node {writer.node} has failed; waiting for the cluster to notice")
            outage.wait_not_ready(timeout_s=settings.failover_s)
            watch.note(NODE_LOST)
            with self._taken_off(writer):
                watch.note(POD_OFF)
                self._tell(f"node {writer.node} is lost; a pod on another node takes over the volume")
                attachments = attachments_of(workspace.api, {volume})
                plan = reader_plan(workspace, self.claim, token=writer.token, node=None)
                follow_failover(workspace, plan, attachments=attachments, watch=watch, timeout_s=settings.failover_s)
                reading = finish_reading(workspace, plan)
            durability = self._record(writer, reading, crashed_at=failed_at, cause=outage.cause)
        return Crash(durability=durability, failover=self._failover_record(durability, watch))

    @contextmanager
    def _taken_off(self, writer: Writer) -> Iterator[None]:
        """Take the writer's pod off the lost node: by force, or by the cluster.

        If the cluster does it, the node has the out-of-service taint until the end of the block.
        """
        workspace = self.workspace
        if self.failure != "failover-out-of-service":
            self._take_away(writer)
            yield
            return
        self._tell(f"node {writer.node} is lost; the suite adds the out-of-service taint")
        with out_of_service(workspace.api, writer.node, run_id=workspace.run_id):
            # By the cluster alone: the storage is not involved.
            wait_gone(workspace.api, writer.plan, timeout_s=workspace.timeout_s, failure=EnvironmentFailure)
            yield

    def _move_pod(
        self,
        writer: Writer,
        volume: str,
        *,
        leave: Callable[..., Stopwatch],
        cause: str,
        began_at: datetime | None = None,
        mounts: Callable[[], list[str]] = list,
    ) -> Crash:
        """Have the pod end by `leave`, and a pod on another node use the volume; then the first node must release it.

        `began_at`: when the crash began, if not with the last durable record; `mounts`: further signs of the volume.
        """
        workspace, timeout_s = self.workspace, self.settings.failover_s
        attachment = attached_to(workspace.api, volume=volume, node=writer.node)
        shows = bool([*attachment.find_signs(workspace.api), *mounts()])
        self._tell(f"the pod leaves node {writer.node}")
        watch = leave(workspace.api, writer, timeout_s=timeout_s)
        left_at = datetime.now(UTC) - timedelta(seconds=time.monotonic() - writer.last_s)
        self._tell("the pod is deleted; a pod on another node takes over the volume")
        plan = reader_plan(workspace, self.claim, token=writer.token, node=None, away_from=writer.node)
        follow_failover(workspace, plan, attachments=attachment.attachments, watch=watch, timeout_s=timeout_s)
        reading = finish_reading(workspace, plan)
        durability = self._record(writer, reading, crashed_at=began_at or left_at, cause=cause)
        timeout_s = workspace.timeout_s
        leftovers = wait_let_go(workspace.api, attachment, timeout_s=timeout_s, also=mounts) if shows else None
        return Crash(durability=durability, failover=self._failover_record(durability, watch, leftovers=leftovers))

    def _restart_kubelet(self, writer: Writer) -> Crash:
        """Have the pod write on while its kubelet is away and after it is back; a new pod then uses the volume."""
        before, crashed_at = writer.acknowledged_count, datetime.now(UTC)
        with self._kubelet_away(writer) as outage:
            while_away()
            outage.end()
        self._tell(f"the kubelet of node {writer.node} is back; the pod must still write")
        writer.write_for(AFTER_S, records=writer.acknowledged_count + LEAST_RECORDS)
        cause = f"{outage.cause}; {wrote_on(writer, since=before)}"
        self._take_away(writer)
        writer.wait_over()
        plan = reader_plan(self.workspace, self.claim, token=writer.token, node=writer.node)
        reading = read_records(self.workspace, plan)
        return Crash(durability=self._record(writer, reading, crashed_at=crashed_at, cause=cause))

    def _delete_without_kubelet(self, writer: Writer, volume: str) -> Crash:
        """Delete the pod while its kubelet is away; once that is back, nothing of the volume must remain."""
        workspace, timeout_s = self.workspace, self.settings.failover_s
        attachment = attached_to(workspace.api, volume=volume, node=writer.node)
        assert self.kubelet is not None  # checked before anything was created
        mounts = mounts_left(self.kubelet, volume=volume, node=writer.node)
        shows = bool([*attachment.find_signs(workspace.api), *mounts()])
        with self._kubelet_away(writer) as outage:
            self._take_away(writer)
            crashed_at = datetime.now(UTC)
            watch = Stopwatch(began_s=time.monotonic())
            outage.end()
        watch.note(BACK)
        self._tell(f"the kubelet of node {writer.node} is back; the node must release the volume")
        leftovers = wait_let_go(workspace.api, attachment, timeout_s=workspace.timeout_s, also=mounts)
        watch.note(POD_OFF)
        plan = reader_plan(workspace, self.claim, token=writer.token, node=None, away_from=writer.node)
        follow_failover(workspace, plan, attachments=attachment.attachments, watch=watch, timeout_s=timeout_s)
        reading = finish_reading(workspace, plan)
        durability = self._record(
            writer, reading, crashed_at=crashed_at, cause=f"{outage.cause}; meanwhile the pod was deleted"
        )
        return Crash(
            durability=durability,
            failover=self._failover_record(durability, watch, leftovers=leftovers if shows else None),
        )

    @contextmanager
    def _kubelet_away(self, writer: Writer) -> Iterator[Outage]:
        """Stop the kubelet of the writer's node; bring it back after the block."""
        assert self.kubelet is not None  # checked before anything was created
        self._tell(f"the kubelet of node {writer.node} is stopped")
        workspace, plan = self.workspace, self.kubelet.outage
        with Outage(workspace.api, plan, node=writer.node, namespace=workspace.namespace) as outage:
            yield outage

    def _failover_record(
        self, durability: DurabilityRecord, watch: Stopwatch, *, leftovers: list[str] | None = None
    ) -> FailoverRecord:
        return FailoverRecord(
            storage_class=durability.storage_class,
            failure=self.failure,
            failed_node=durability.node,
            node=durability.read_on,
            failed=durability.crashed,
            phases=watch.phases(),
            stayed=leftovers,
        )

    @contextmanager
    def _outage(self, writer: Writer) -> Iterator[Outage]:
        """Make the writer's node fail, so that it writes no more; bring it back after the block."""
        assert self.node_failure is not None  # checked before anything was created
        self._tell(f"node {writer.node} is made to fail")
        workspace = self.workspace
        with Outage(workspace.api, self.node_failure, node=writer.node, namespace=workspace.namespace) as outage:
            writer.require_silent(cause=outage.cause)
            yield outage

    def _take_away(self, writer: Writer) -> None:
        end_pod(self.workspace.api, writer.plan, timeout_s=self.workspace.timeout_s, grace_s=0)

    def _record(self, writer: Writer, reading: Reading, *, crashed_at: datetime, cause: str) -> DurabilityRecord:
        lost_numbers = lost_records(reading.content, token=writer.token, acknowledged_count=writer.acknowledged_count)
        return DurabilityRecord(
            storage_class=self.claim.storage_class,
            failure=self.failure,
            node=writer.node,
            read_on=reading.node,
            crashed=crashed_at,
            what=cause,
            acknowledged=writer.acknowledged_count,
            write_s=writer.write_s,
            whole=whole_records(reading.content, token=writer.token),
            lost=ranges(lost_numbers),
        )

    def _tell(self, text: str) -> None:
        self.say(f"{self.failure} on {self.claim.storage_class}: {text}")
