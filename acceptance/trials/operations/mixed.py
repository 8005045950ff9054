"""One round of operations of different kinds that are all requested at the same time, each on volumes of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from acceptance.cluster.claims import ask_for_claim
from acceptance.cluster.snapshots import GROUP
from acceptance.process.undoing import Undoing
from acceptance.results.operations import Moment, Operation, OperationRecord
from acceptance.text.errors import StorageFailure
from acceptance.trials.operations.at_once import at_once
from acceptance.trials.operations.record_of import operation_records
from acceptance.trials.operations.round import Round

MIXED: tuple[Operation, ...] = ("bind", "snapshot", "restore", "clone", "expand", "delete")
"""The kinds that are requested at the same time."""
ENDS: dict[Operation, Moment] = {
    "bind": "bound",
    "snapshot": "ready",
    "restore": "bound",
    "clone": "bound",
    "expand": "expanded",
    "delete": "gone",
}
_OF_OWN: tuple[Operation, ...] = ("snapshot", "restore", "clone", "expand", "delete")
"""The kinds that need a volume beforehand."""


@dataclass(kw_only=True)
class MixedRound(Round):
    """The volumes of all kinds: `prepare` creates what the kinds need, `mix` requests them, `remove_copies` and
    `remove_volumes` delete all.

    `settings.at_once`: the number of operations of each kind.
    """

    _prepared: dict[Operation, list[str]] = field(default_factory=dict)
    _mixed: dict[Operation, list[str]] = field(default_factory=dict)
    _ready_snapshots: list[str] = field(default_factory=list)

    @property
    def kinds(self) -> tuple[Operation, ...]:
        """The kinds that the class can do."""
        return tuple(kind for kind in MIXED if kind in self.operations)

    def prepare(self, undoing: Undoing) -> None:
        """Create the volumes that the kinds need, and the snapshots to restore, which are deleted with `undoing`.

        Raises StorageFailure if one of them cannot be created.
        """
        for kind in _OF_OWN:
            if kind in self.operations:
                self._prepared[kind] = self._new("volume", "mixed", kind)
        names = list(chain.from_iterable(self._prepared.values()))
        self._require(self._volumes_come("bind", names), names, "were created")
        growing = self._prepared.get("expand", [])
        if not self._waits:
            self._ask_for_pods(growing)
        with_pods = names if self._waits else growing
        self._require(self._await("start", with_pods, "ready"), with_pods, "were mounted")
        if sources := self._prepared.get("restore", []):
            self._ready_snapshots = self._take_snapshots("snapshot", "snapshot", sources, undoing)
            self._require(self._ready_snapshots, sources, "had a snapshot")
        self._release(self._prepared.get("delete", []))

    def mix(self, undoing: Undoing) -> None:
        """Request all kinds at the same time, and wait until each operation has ended, or its time is over."""
        requests = {kind: self._of_kind(kind, undoing) for kind in self.kinds}
        self._say(f"{', '.join(requests)}: {self.settings.at_once} of each are requested at the same time")
        at_once(request for together in zip_longest(*requests.values()) for request in together if request is not None)
        ends_s = time.monotonic() + self.settings.timeout_s
        for kind in self.kinds:
            names, rest_s = self._mixed[kind], max(0.0, ends_s - time.monotonic())
            if kind == "snapshot":
                self._snapshots_come(kind, names, timeout_s=rest_s)
            else:
                waited = {"expand": self._growing, "delete": self._leaving}.get(kind, list)(names)
                self._await(kind, waited, ENDS[kind], timeout_s=rest_s)

    def remove_copies(self) -> None:
        """Delete the restored volumes and the clones, before snapshots and sources: storage releases them in that
        order."""
        self._go([*self._mixed.get("restore", []), *self._mixed.get("clone", [])])

    def remove_volumes(self) -> None:
        """Delete all other volumes."""
        deleted_names = self._mixed.get("delete", [])
        others = chain(self._mixed.get("bind", []), *self._prepared.values())
        self._go([name for name in others if name not in deleted_names])

    def records(self) -> list[OperationRecord]:
        """Return a record of each kind, of what was requested at the same time; to be called before they are
        removed."""
        records = []
        for kind in self.kinds:
            of_kind = operation_records(self._objects(self._mixed[kind]), waits=self._waits, missing=())
            records += [record for record in of_kind if record.operation == kind]
        return records

    def span_s(self, kind: Operation) -> tuple[float, float] | None:
        """Return when the first of a kind was requested and when the last of it was done; None if none was done."""
        objects = self._objects(self._mixed[kind])
        begin: Moment = {"expand": "growth_asked", "delete": "deletion_asked"}.get(kind, "asked")  # type: ignore[assignment]
        begins = [obj.at_s[begin] for obj in objects if begin in obj.at_s]
        ends = [obj.at_s[ENDS[kind]] for obj in objects if ENDS[kind] in obj.at_s]
        return (min(begins), max(ends)) if begins and ends else None

    def reasons(self, kind: Operation) -> list[str]:
        """Return why operations of this kind failed, in the cluster's words."""
        return sorted({obj.failures[kind] for obj in self._objects(self._mixed[kind]) if kind in obj.failures})

    def _of_kind(self, kind: Operation, undoing: Undoing) -> list[Callable[[], None]]:
        """Return the requests of a kind, and note its objects."""
        if kind == "snapshot":
            snapshots = self._new_snapshots("snapshot", self._prepared[kind], undoing)
            self._mixed[kind] = list(snapshots)
            return self._requests(self._mixed[kind], "asked", lambda name: snapshots[name]())
        if kind in ("expand", "delete"):
            self._mixed[kind] = self._prepared[kind]
            if kind == "expand":
                return self._requests(self._mixed[kind], "growth_asked", self._ask_to_grow)
            return self._requests(self._mixed[kind], "deletion_asked", self._ask_to_delete)
        if kind == "restore":
            sources = [self._source("VolumeSnapshot", name, GROUP) for name in self._ready_snapshots]
            self._mixed[kind] = self._new("restored", "mixed", "restored", sources=sources)
        elif kind == "clone":
            sources = [self._source("PersistentVolumeClaim", name) for name in self._prepared[kind]]
            self._mixed[kind] = self._new("clone", "mixed", "cloned", sources=sources)
        else:
            self._mixed[kind] = self._new("volume", "mixed", "new")
        return self._requests(self._mixed[kind], "asked", self._ask_for_volume)

    def _ask_for_volume(self, name: str) -> None:
        """Request a volume, and at once its pod if the class waits for one."""
        ask_for_claim(self.workspace.api, self._claims[name])
        if self._waits:
            for request in self._requests([name], "pod_asked", self._ask_for_pod):
                request()

    def _require(self, done: list[str], names: list[str], what: str) -> None:
        if len(done) < len(names):
            missing = [name for name in names if name not in done]
            reasons = {why for obj in self._objects(missing) for why in obj.failures.values()}
            raise StorageFailure(
                f"before operations of different kinds were requested, only {len(done)} of {len(names)} volumes of "
                f"StorageClass {self.storage_class.name} {what}: {'; '.join(sorted(reasons))}"
            )
