"""Pods of the storage system that are killed one at a time, while records are written to one of its volumes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from acceptance.cluster.claims import Claim, create_claim, remove_claim, wait_bound
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.cluster.objects import object_name
from acceptance.cluster.one_shot_pod import run_one_shot_pod
from acceptance.cluster.pod_manifest import PodPlan, volume_path
from acceptance.cluster.pods import end_pod
from acceptance.cluster.storage_pods import StoragePod, Strength, kill_storage_pod, storage_pods
from acceptance.cluster.waiting import wait_for
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.results.disruptions import KilledPod, StoragePodsRecord
from acceptance.settings.pod_selectors import PodSelector
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials import Say
from acceptance.trials.crashes.acknowledged_records import lost_records, ranges
from acceptance.trials.crashes.gaps import longest_gap
from acceptance.trials.crashes.reading import Reading, read_records, reader_plan
from acceptance.trials.crashes.trial import LEAST_RECORDS, CrashSettings
from acceptance.trials.crashes.writer import Writer

MOST_PODS = 3
"""The number of pods of each selector that are killed at the most: as many as are usual for replicas, or candidates for
a leader; the number of the others is reported."""
PAUSE_S = 0.1
"""Seconds between records: the records of a writer then last for half an hour."""
AFTER_S = 3.0
"""Seconds for which records are written once all pods are Ready again."""
TAKE = 'printf x > "$VOLUME/new" && sync "$VOLUME/new"'
DEADLINE_S = 600


@dataclass(frozen=True, kw_only=True)
class StoragePodsTrial:
    """The pods of `selector`, killed while a pod writes records to the volume of `claim`.

    `strength`: the pods that must be Ready before each kill, and again after it; no other pods are killed meanwhile.
    """

    workspace: Workspace
    claim: Claim
    selector: PodSelector
    strength: Strength
    settings: CrashSettings
    say: Say

    def run(self) -> StoragePodsRecord:
        """Write; kill a pod, require that all come back, kill the next; then read."""
        workspace, settings = self.workspace, self.settings
        with Writer(workspace, self.claim, node=settings.node, heeds_term=True, pause_s=PAUSE_S) as writer:
            volume = wait_bound(workspace.api, self.claim, timeout_s=workspace.timeout_s)
            nodes = nodes_for_volume(workspace.api, volume, workspace.pods.template)
            self._tell(f"records are written for {settings.write_s:.0f} s")
            writer.write_for(settings.write_s, records=LEAST_RECORDS)
            # The node with the volume first: its pods have most to lose.
            pods = sorted(
                storage_pods(workspace.api, self.selector), key=lambda storage_pod: storage_pod.node != writer.node
            )
            started_at, kills = datetime.now(UTC), list[KilledPod]()
            for pod in pods[:MOST_PODS]:
                kills.append(self._kill(pod, writer, node=pod.node if pod.node in nodes else None))
                if kills[-1].problem or kills[-1].broke:
                    break
            self._tell("the records are read")
            reading, unread = self._read(writer)
            if kills[-1].broke:
                seconds = time.monotonic() - writer.last_s
                kills[-1] = kills[-1].model_copy(update={"gap_s": max(kills[-1].gap_s, seconds)})
        known_count = 0 if unread else writer.acknowledged_count
        lost_numbers = lost_records(reading.content, token=writer.token, acknowledged_count=known_count)
        return StoragePodsRecord(
            storage_class=self.claim.storage_class,
            selector=str(self.selector),
            node=writer.node,
            read_on=reading.node,
            unread=unread,
            started=started_at,
            kills=kills,
            left=len(pods) - len(kills),
            acknowledged=writer.acknowledged_count,
            lost=ranges(lost_numbers),
        )

    def _kill(self, pod: StoragePod, writer: Writer, *, node: str | None) -> KilledPod:
        """Kill one pod; `node`: where a new volume is tried afterwards."""
        before, arrived_s = writer.acknowledged_count, writer.last_s
        self._require_strength()
        self._tell(f"pod {pod.name} on node {pod.node} is killed")
        began_s = time.monotonic()
        kill_storage_pod(self.workspace.api, pod, self.selector)
        ready_s = new_volume_s = None
        broke = problem = ""
        try:
            self._wait_back(pod)
            ready_s = time.monotonic() - began_s
            self._tell(f"a replacement is Ready after {ready_s:.1f} s")
        except StorageFailure as error:
            problem = str(error)
        if (write_error := self._find_write_error(writer)) is not None:
            broke = str(write_error)
        if not problem:
            again_s = time.monotonic()
            try:
                new_volume_s = self._use_new_volume(pod, node) - again_s
            except StorageFailure as error:
                problem = str(error)
        gap_s = longest_gap(writer.moments, since=before)
        # A pod that cannot read its node's clock is timed by the arrival of its lines here.
        gap_s = gap_s or longest_gap(((arrived_s, before), *writer.arrivals), since=before) or 0.0
        return KilledPod(
            pod=pod.name,
            node=pod.node,
            ready_s=ready_s,
            gap_s=gap_s,
            new_volume_s=new_volume_s,
            broke=broke,
            problem=problem,
        )

    def _require_strength(self) -> None:
        """Raise EnvironmentFailure if a pod is away that this run has not killed: two are never away at the same
        time."""
        api = self.workspace.api
        wait_for(
            "all pods that may be killed to be Ready before the next kill",
            look=lambda: self.strength.lacking(api),
            ready=lambda lacking: not lacking,
            state=", ".join,
            timeout_s=self.workspace.timeout_s,
            failure=EnvironmentFailure,
        )

    def _wait_back(self, pod: StoragePod) -> None:
        api = self.workspace.api
        wait_for(
            f"a replacement for pod {pod.name} in namespace {self.selector.namespace} to be Ready",
            look=lambda: self.strength.lacking(api, without=pod.uid),
            ready=lambda lacking: not lacking,
            state=", ".join,
            timeout_s=self.workspace.timeout_s,
        )

    def _find_write_error(self, writer: Writer) -> StorageFailure | None:
        """Return why no more records become durable; None if they do."""
        try:
            writer.write_for(AFTER_S, records=writer.acknowledged_count + LEAST_RECORDS)
        except StorageFailure as error:
            return error
        return None

    def _use_new_volume(self, pod: StoragePod, node: str | None) -> float:
        """Return when a new volume was written to, by time.monotonic(). Raises StorageFailure if it cannot be."""
        workspace = self.workspace
        self._tell("a new volume is requested")
        name = self.claim.storage_class
        claim = workspace.claim("new-volume", pod.uid, name, storage_class=name, size=self.claim.size)
        plan = PodPlan(
            name=object_name(claim.name, "user"),
            claims=(claim,),
            image=workspace.image,
            command=["sh", "-c", TAKE],
            environment={"VOLUME": volume_path(0)},
            deadline_s=DEADLINE_S,
            node=node,
            defaults=workspace.pods,
        )
        with Undoing() as undoing:
            undoing.callback(lambda: remove_claim(workspace.api, claim, timeout_s=workspace.timeout_s))
            create_claim(workspace.api, claim)
            outcome = run_one_shot_pod(workspace, plan, timeout_s=workspace.timeout_s)
            done_s = time.monotonic()
            if outcome.status:
                raise StorageFailure(f"a pod could not write to a new volume: {outcome.output[-300:].strip()}")
        return done_s

    def _read(self, writer: Writer) -> tuple[Reading, str]:
        """Have a new pod write to the volume on the writer's node, and read it; return the records, or why no pod
        could."""
        workspace = self.workspace
        try:
            end_pod(workspace.api, writer.plan, timeout_s=workspace.timeout_s)
            writer.wait_over()
            plan = reader_plan(workspace, self.claim, token=writer.token, node=writer.node)
            return read_records(workspace, plan), ""
        except StorageFailure as error:
            return Reading(node="", content=b""), str(error)

    def _tell(self, text: str) -> None:
        self.say(f"{self.selector} on {self.claim.storage_class}: {text}")
