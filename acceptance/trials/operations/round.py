"""One round: many volumes at once, with all operations on them, until they are deleted."""

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
from acceptance.trials.operations.timeline import TrackedObject


@dataclass(kw_only=True)
class Round:
    """The round of this number, from 1. `operations`: those that are requested and that the class can do.

    `snapshot_class`: empty if there is none.
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
        """Do all operations, in the order in which storage releases objects. Raises what the observer and the API
        raise."""
        volumes = self._new("volume", "")
        bound = self._volumes_come("bind", volumes)
        ready_names = self._start(bound) if "start" in self.operations or self._waits else []
        if "snapshot" in self.operations:
            with Undoing() as undoing:
                ready = self._take_snapshots("snapshot", "snapshot", bound, undoing)
                if "restore" in self.operations:
                    self._copy("restore", "restored", [self._source("VolumeSnapshot", name, GROUP) for name in ready])
        if "snapshots_of_one" in self.operations and bound:
            with Undoing() as undoing:
                of_one = bound[:1] * self.settings.at_once
                self._take_snapshots("snapshots_of_one", "snapshot-of-one", of_one, undoing)
        if "clone" in self.operations and cannot_clone(self._objects(bound)) is None:
            self._copy("clone", "clone", [self._source("PersistentVolumeClaim", name) for name in bound])
        if "expand" in self.operations:
            self._expand(ready_names)
        self._go(volumes)

    def _objects(self, names: Collection[str]) -> list[TrackedObject]:
        return [self.observer.timeline.objects[name] for name in names]

    @property
    def _waits(self) -> bool:
        return self.storage_class.waits_for_pod

    def _source(self, kind: str, name: str, group: str | None = None) -> tuple[DataSource, int]:
        """Return the source of a copy, and the bytes that it needs at least."""
        size = max(VOLUME_SIZE, self.observer.timeline.objects[name].capacity)
        return DataSource(kind=kind, name=name, group=group), size

    def _new(self, kind: ObjectKind, *parts: str, sources: Sequence[tuple[DataSource, int]] | None = None) -> list[str]:
        """Prepare claims that will be requested; return their names."""
        class_, numbers = self.storage_class.name, range(1, self.settings.at_once + 1)
        requests = [(None, VOLUME_SIZE)] * len(numbers) if sources is None else sources
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
            for number, (source, size) in zip(numbers, requests, strict=False)
        ]
        self._claims |= {claim.name: claim for claim in claims}
        with self.observer.condition:
            self.observer.timeline.add([claim.name for claim in claims], kind=kind, round_=self.number)
        return [claim.name for claim in claims]

    def _volumes_come(self, operation: Operation, names: list[str]) -> list[str]:
        """Request all of the volumes, with pods if the class waits for these; return those that were bound.

        The PV of each of these was seen as well, so that its owner is known before a pod uses it.
        """
        api = self.workspace.api
        self._ask(names, "asked", lambda name: ask_for_claim(api, self._claims[name]))
        if self._waits:
            self._ask_for_pods(names)
        bound = self._await(operation, names, "bound")
        unseen = self.observer.wait(bound, "provisioned", timeout_s=self.settings.timeout_s)
        return [name for name in bound if name not in unseen]

    def _ask_for_pods(self, names: Collection[str]) -> None:
        """Request the pods. If volumes are provisioned only for their pods, nothing has checked their owner before: the
        pods do."""
        self._ask(names, "pod_asked", self._ask_for_pod)

    def _ask_for_pod(self, name: str) -> None:
        guarded_claims = (0,) if self._waits else ()
        self.observer.timeline.objects[name].pod_gone = False
        ask_for_pod(self.workspace.api, self._pod(self._claims[name]), guarded_claims=guarded_claims)

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
        """Take a snapshot for each time that a claim is named; return the names of those that are ready. All are
        deleted when `undoing` is over."""
        requests = self._new_snapshots(kind, claims, undoing)
        self._ask(requests, "asked", lambda name: requests[name]())
        return self._snapshots_come(operation, list(requests))

    def _new_snapshots(
        self, kind: ObjectKind, claims: Sequence[str], undoing: Undoing
    ) -> dict[str, Callable[[], object]]:
        """Prepare snapshots, which are deleted when `undoing` is over; return the request for each by its name."""
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
        with self.observer.condition:
            self.observer.timeline.add(snapshots, kind=kind, round_=self.number)
        undoing.callback(lambda: self._remove_snapshots(snapshots, is_interrupted=undoing.error is not None))
        api = self.workspace.api
        return {name: partial(take_snapshot, api, snapshots[name], claim=claim) for name, claim in of_claims.items()}

    def _snapshots_come(self, operation: Operation, names: list[str], *, timeout_s: float | None = None) -> list[str]:
        """Wait for requested snapshots; return the names of those that are ready."""
        ready_names = self._await(operation, names, "ready", timeout_s=timeout_s)
        for name in self.observer.timeline.with_(names, "provisioned"):
            if (obj := self.observer.timeline.objects[name]).is_retained:
                own_content(self.workspace.api, obj.volume, run_id=self.workspace.run_id)
        return ready_names

    def _remove_snapshots(self, snapshots: dict[str, Snapshot], *, is_interrupted: bool) -> None:
        """Delete the snapshots with their contents, which their class may keep. What is not deleted by itself is
        deleted with the run."""
        api, there = self.workspace.api, self.observer.timeline.with_(list(snapshots), "asked")
        self._ask(there, "deletion_asked", lambda name: have_removed(api, snapshots[name]))
        if not is_interrupted:
            self._say(f"{len(there)} snapshots are deleted")
            self.observer.wait(there, "gone", timeout_s=self.settings.timeout_s)

    def _copy(self, operation: Operation, kind: ObjectKind, sources: Sequence[tuple[DataSource, int]]) -> None:
        names = self._new(kind, kind, sources=sources)
        self._volumes_come(operation, names)
        self._go(names)

    def _expand(self, ready_names: list[str]) -> None:
        self._ask(ready_names, "growth_asked", self._ask_to_grow)
        self._await("expand", self._growing(ready_names), "expanded")

    def _ask_to_grow(self, name: str) -> None:
        obj = self.observer.timeline.objects[name]
        obj.requested_size = max(obj.capacity, VOLUME_SIZE) + VOLUME_SIZE
        try:
            ask_to_grow(self.workspace.api, self._claims[name], size=obj.requested_size)
        except ApiError as error:
            if not refuses_growth(error.status, error.message):
                raise
            obj.failures["expand"] = f"Refused: {error.message}"

    def _growing(self, names: Collection[str]) -> list[str]:
        """Return those whose expansion was not refused."""
        return [name for name in names if "expand" not in self.observer.timeline.objects[name].failures]

    def _go(self, names: list[str]) -> None:
        """End the pods, then delete their claims, and wait until their volumes are deleted."""
        self._release(names)
        self._ask(names, "deletion_asked", self._ask_to_delete)
        self._await("delete", self._leaving(names), "gone")

    def _release(self, names: Collection[str]) -> None:
        """End the pods; volumes that their class would keep become the run's, which deletes them in the end."""
        api, objects, namespace = self.workspace.api, self.observer.timeline.objects, self.workspace.namespace
        pods = [name for name in names if not objects[name].pod_gone]
        at_once(partial(api.delete, PODS, name, namespace=namespace, grace_s=1) for name in pods)
        self._say(f"{len(pods)} pods are deleted")
        self.observer.wait_pods_gone(pods, timeout_s=self.settings.timeout_s)
        for name in names:
            if objects[name].is_retained:
                label_volume(api, api.get(VOLUMES, objects[name].volume), run_id=self.workspace.run_id)

    def _ask_to_delete(self, name: str) -> None:
        self.workspace.api.delete(CLAIMS, name, namespace=self.workspace.namespace)

    def _leaving(self, names: Collection[str]) -> list[str]:
        """Return those whose volume is deleted together with its claim."""
        objects = self._objects(names)
        return [obj.name for obj in objects if "provisioned" in obj.at_s and not obj.is_retained]

    def _ask(self, names: Collection[str], moment: Moment, request: Callable[[str], object]) -> None:
        """Make the request for each object; its time counts from the moment when it is sent."""
        at_once(self._requests(names, moment, request))

    def _requests(
        self, names: Collection[str], moment: Moment, request: Callable[[str], object]
    ) -> list[Callable[[], None]]:
        """Return the request for each object, which notes when it is sent."""

        def ask(name: str) -> None:
            with self.observer.condition:
                self.observer.timeline.note(name, moment, self.observer.now_s())
            request(name)

        return [partial(ask, name) for name in names]

    def _await(
        self, operation: Operation, names: list[str], moment: Moment, *, timeout_s: float | None = None
    ) -> list[str]:
        """Wait for the moment; return the objects that reached it in time, and note what became of the others."""
        self._say(f"{operation}: waiting for {len(names)} at the same time")
        timeline = self.observer.timeline
        timeout_s = self.settings.timeout_s if timeout_s is None else timeout_s
        for name in self.observer.wait(names, moment, timeout_s=timeout_s):
            timeline.objects[name].failures[operation] = why_failed(self.workspace, timeline.objects[name], operation)
        return timeline.with_(names, moment)

    def _say(self, text: str) -> None:
        self.say(f"{self.storage_class.name}, round {self.number} of {self.settings.rounds}: {text}")
