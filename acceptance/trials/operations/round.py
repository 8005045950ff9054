"""One round: so many volumes at once, with all that is done to them, until they are gone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim, DataSource, ask_for_claim, ask_to_grow
from acceptance.cluster.objects import object_name
from acceptance.cluster.ownership import label_volume
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import ask_for_pod
from acceptance.cluster.refusals import refuses_growth
from acceptance.cluster.resources import CLAIMS, PODS, VOLUMES
from acceptance.cluster.snapshots import GROUP, Snapshot, have_removed, own_content, take_snapshot
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.results.clusters import StorageClass
from acceptance.results.operations import Moment, ObjectKind, Operation
from acceptance.trials import Say
from acceptance.trials.operations.at_once import at_once
from acceptance.trials.operations.failing import cannot_clone, why_failed
from acceptance.trials.operations.observer import Observer
from acceptance.trials.operations.plan import COMMAND, REQUESTS, STAGES, VOLUME_SIZE, OperationSettings
from acceptance.trials.operations.timeline import Tracked


@dataclass(kw_only=True)
class Round:
    """The round of this number, from 1. `operations`: what is done of those that the class can do.

    `snapshot_class`: empty where there is none.
    """

    workspace: Workspace
    observer: Observer
    storage_class: StorageClass
    settings: OperationSettings
    operations: Collection[Operation]
    snapshot_class: str
    number: int
    say: Say
    _claims: dict[str, Claim] = field(default_factory=dict)

    def run(self) -> None:
        """All of it, in the order in which storage lets go. Raises what the observer and the API raise."""
        volumes = self._new("volume", "")
        bound = self._volumes_come("bind", volumes)
        started = self._start(bound) if "start" in self.operations or self._waits else []
        if "snapshot" in self.operations:
            with Undoing() as undoing:
                taken = self._take_snapshots("snapshot", "snapshot", bound, undoing)
                if "restore" in self.operations:
                    self._copy("restore", "restored", [self._source("VolumeSnapshot", one, GROUP) for one in taken])
        if "snapshots_of_one" in self.operations and bound:
            with Undoing() as undoing:
                of_one = bound[:1] * self.settings.at_once
                self._take_snapshots("snapshots_of_one", "snapshot-of-one", of_one, undoing)
        if "clone" in self.operations and cannot_clone(self._objects(bound)) is None:
            self._copy("clone", "clone", [self._source("PersistentVolumeClaim", one) for one in bound])
        if "expand" in self.operations:
            self._expand(started)
        self._go(volumes)

    def _objects(self, names: Collection[str]) -> list[Tracked]:
        return [self.observer.timeline.objects[name] for name in names]

    @property
    def _waits(self) -> bool:
        return self.storage_class.waits_for_pod

    def _source(self, kind: str, name: str, group: str | None = None) -> tuple[DataSource, int]:
        """What a copy is made of, and how many bytes it needs at the least."""
        size = max(VOLUME_SIZE, self.observer.timeline.objects[name].capacity)
        return DataSource(kind=kind, name=name, group=group), size

    def _new(self, kind: ObjectKind, *parts: str, sources: Sequence[tuple[DataSource, int]] | None = None) -> list[str]:
        """Claims that will be asked for: their names."""
        class_, numbers = self.storage_class.name, range(1, self.settings.at_once + 1)
        asked = [(None, VOLUME_SIZE)] * len(numbers) if sources is None else sources
        claims = [
            replace(
                self.workspace.claim(
                    *("operations", *filter(None, parts), class_, f"{self.number}-{number}"),
                    storage_class=class_,
                    size=size,
                    block=self.settings.block,
                ),
                source=source,
            )
            for number, (source, size) in zip(numbers, asked, strict=False)
        ]
        self._claims |= {claim.name: claim for claim in claims}
        with self.observer.changed:
            self.observer.timeline.add([claim.name for claim in claims], kind=kind, round_=self.number)
        return [claim.name for claim in claims]

    def _volumes_come(self, operation: Operation, names: list[str]) -> list[str]:
        """Ask for all of them, with pods where the class waits for these; those that were bound.

        Of these the PV was seen as well, so that it is known whose it is before a pod uses it.
        """
        api = self.workspace.api
        self._ask(names, "asked", lambda name: ask_for_claim(api, self._claims[name]))
        if self._waits:
            self._ask_for_pods(names)
        bound = self._await(operation, names, "bound")
        unseen = self.observer.wait(bound, "provisioned", timeout_s=self.settings.timeout_s)
        return [name for name in bound if name not in unseen]

    def _ask_for_pods(self, names: Collection[str]) -> None:
        """Where volumes come only with their pods, nobody has looked whose they are: the pods do."""
        guarded = (0,) if self._waits else ()
        objects = self.observer.timeline.objects

        def ask(name: str) -> None:
            objects[name].pod_gone = False
            ask_for_pod(self.workspace.api, self._pod(self._claims[name]), guarded=guarded)

        self._ask(names, "pod_asked", ask)

    def _pod(self, claim: Claim) -> PodPlan:
        return PodPlan(
            name=claim.name,
            claims=(claim,),
            image=self.workspace.image,
            command=COMMAND,
            deadline_s=int(STAGES * self.settings.timeout_s),
            node=self.settings.node,
            defaults=self.workspace.pods,
            requests=REQUESTS,
        )

    def _start(self, bound: list[str]) -> list[str]:
        if not self._waits:
            self._ask_for_pods(bound)
        return self._await("start", bound, "ready")

    def _take_snapshots(
        self, operation: Operation, kind: ObjectKind, claims: Sequence[str], undoing: Undoing
    ) -> list[str]:
        """The names of the snapshots that are ready, one for each time that a claim is named; all are gone when
        `undoing` is over."""
        api = self.workspace.api
        of_claims = {
            object_name(claim, kind, str(number)): self._claims[claim] for number, claim in enumerate(claims, start=1)
        }
        snapshots = {
            name: Snapshot(
                name=name,
                namespace=self.workspace.namespace,
                snapshot_class=self.snapshot_class,
                run_id=self.workspace.run_id,
            )
            for name in of_claims
        }
        with self.observer.changed:
            self.observer.timeline.add(snapshots, kind=kind, round_=self.number)
        undoing.callback(lambda: self._remove_snapshots(snapshots, interrupted=undoing.error is not None))
        self._ask(snapshots, "asked", lambda name: take_snapshot(api, snapshots[name], claim=of_claims[name]))
        taken = self._await(operation, list(snapshots), "ready")
        for name in self.observer.timeline.with_(list(snapshots), "provisioned"):
            if (tracked := self.observer.timeline.objects[name]).retained:
                own_content(api, tracked.volume, run_id=self.workspace.run_id)
        return taken

    def _remove_snapshots(self, snapshots: dict[str, Snapshot], *, interrupted: bool) -> None:
        """With what is behind them, which their class may keep. What does not go by itself goes with the run."""
        api, there = self.workspace.api, self.observer.timeline.with_(list(snapshots), "asked")
        self._ask(there, "deletion_asked", lambda name: have_removed(api, snapshots[name]))
        if not interrupted:
            self._say(f"{len(there)} snapshots are deleted")
            self.observer.wait(there, "gone", timeout_s=self.settings.timeout_s)

    def _copy(self, operation: Operation, kind: ObjectKind, sources: Sequence[tuple[DataSource, int]]) -> None:
        names = self._new(kind, kind, sources=sources)
        self._volumes_come(operation, names)
        self._go(names)

    def _expand(self, started: list[str]) -> None:
        api, timeline = self.workspace.api, self.observer.timeline

        def ask(name: str) -> None:
            tracked = timeline.objects[name]
            tracked.grown = max(tracked.capacity, VOLUME_SIZE) + VOLUME_SIZE
            try:
                ask_to_grow(api, self._claims[name], size=tracked.grown)
            except ApiError as error:
                if not refuses_growth(error.status, error.message):
                    raise
                tracked.failed["expand"] = f"Refused: {error.message}"

        self._ask(started, "growth_asked", ask)
        granted = [name for name in started if "expand" not in timeline.objects[name].failed]
        self._await("expand", granted, "expanded")

    def _go(self, names: list[str]) -> None:
        """Pods end, then their claims are deleted, and their volumes are to be gone."""
        api, objects, namespace = self.workspace.api, self.observer.timeline.objects, self.workspace.namespace
        pods = [name for name in names if not objects[name].pod_gone]
        at_once(partial(api.delete, PODS, name, namespace=namespace, grace_s=1) for name in pods)
        self._say(f"{len(pods)} pods end")
        self.observer.wait_pods_gone(pods, timeout_s=self.settings.timeout_s)
        for name in names:
            if objects[name].retained:
                label_volume(api, api.get(VOLUMES, objects[name].volume), run_id=self.workspace.run_id)
        self._ask(names, "deletion_asked", lambda name: api.delete(CLAIMS, name, namespace=namespace))
        to_go = [name for name in names if "provisioned" in objects[name].at_s and not objects[name].retained]
        self._await("delete", to_go, "gone")

    def _ask(self, names: Collection[str], moment: Moment, request: Callable[[str], object]) -> None:
        """Make the request of each object, which counts from when it is sent."""

        def ask(name: str) -> None:
            with self.observer.changed:
                self.observer.timeline.note(name, moment, self.observer.now_s())
            request(name)

        at_once([partial(ask, name) for name in names])

    def _await(self, operation: Operation, names: list[str], moment: Moment) -> list[str]:
        """Those that came so far in time; what became of the others is noted."""
        self._say(f"{len(names)} at once until {operation} is done")
        timeline = self.observer.timeline
        for name in self.observer.wait(names, moment, timeout_s=self.settings.timeout_s):
            timeline.objects[name].failed[operation] = why_failed(self.workspace, timeline.objects[name], operation)
        return timeline.with_(names, moment)

    def _say(self, what: str) -> None:
        self.say(f"{self.storage_class.name}, round {self.number} of {self.settings.rounds}: {what}")
