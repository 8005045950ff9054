"""The snapshots that are taken of volumes in use: a snapshot of one, or one group snapshot of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from acceptance.cluster.claims import Claim, DataSource
from acceptance.cluster.group_snapshots import (
    GroupSnapshot,
    delete_group_snapshot,
    group_class_of,
    take_group_snapshot,
    undo_group_snapshot,
    wait_group_taken,
)
from acceptance.cluster.objects import object_name
from acceptance.cluster.snapshots import GROUP, RestorableSnapshot, Snapshot, delete_snapshot, take_snapshot, wait_taken
from acceptance.text.errors import Unsupported
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.snapshots import snapshot_class_for


class Taking(Protocol):
    """A snapshot, or a group of them, of the claims that it has requested."""

    @property
    def snapshot_class(self) -> str:
        """The name of its class."""

    @property
    def claims(self) -> Sequence[Claim]:
        """The claims of its volumes."""

    def take(self) -> None:
        """Request the snapshot; it is deleted with the rest of the bench."""

    def wait(self) -> None:
        """Wait until it is ready to use. Raises StorageFailure at the deadline."""

    def restore(self) -> list[Claim]:
        """Request a copy of each volume; return them in the order of the claims."""

    def delete(self) -> None:
        """Delete it, and wait until it and all objects behind it are deleted. Raises StorageFailure at the deadline."""


@dataclass(kw_only=True)
class OneSnapshot:
    """A snapshot of one volume. Raises Unsupported if the class has none."""

    bench: Bench
    snapshot_class: str = field(init=False)
    claims: Sequence[Claim] = field(init=False)

    def __post_init__(self) -> None:
        self.snapshot_class = snapshot_class_for(self.bench)
        self.claims = (claim,) = (self.bench.claim("in-use"),)
        name = object_name(claim.name, "snapshot")
        self._snapshot = Snapshot(
            name=name, namespace=claim.namespace, snapshot_class=self.snapshot_class, run_id=claim.run_id
        )

    def take(self) -> None:
        """Request the snapshot; it is deleted with the rest of the bench."""
        self.bench.keep_track(self._snapshot)
        take_snapshot(self.bench.api, self._snapshot, claim=self.claims[0])

    def wait(self) -> None:
        """Wait until it is ready to use. Raises StorageFailure at the deadline."""
        self._restorable = wait_taken(self.bench.api, self._snapshot, timeout_s=self.bench.timeout_s)

    def restore(self) -> list[Claim]:
        """Request a copy of the volume."""
        return [_copy(self.bench, "copy", self._snapshot.name, self._restorable)]

    def delete(self) -> None:
        """Delete it, and wait until it and its content are deleted. Raises StorageFailure at the deadline."""
        delete_snapshot(self.bench.api, self._snapshot, timeout_s=self.bench.timeout_s)


@dataclass(kw_only=True)
class GroupOfSnapshots:
    """A group snapshot of several volumes. Raises Unsupported if the cluster or the driver has none."""

    bench: Bench
    volumes: int
    snapshot_class: str = field(init=False)
    claims: Sequence[Claim] = field(init=False)

    def __post_init__(self) -> None:
        bench = self.bench
        try:
            self.snapshot_class = group_class_of(bench.api, bench.storage_class)
        except Unsupported as error:
            raise bench.missing(str(error)) from error
        own = bench.unmade_claim("group")
        self._group = GroupSnapshot(
            name=own.name, namespace=own.namespace, group_class=self.snapshot_class, run_id=own.run_id
        )
        numbers = range(1, self.volumes + 1)
        self.claims = [bench.claim(f"in-use-{number}", group=self._group.name) for number in numbers]

    def take(self) -> None:
        """Request the group snapshot; it is deleted with the rest of the bench."""
        bench = self.bench
        bench.undo_with(lambda: undo_group_snapshot(bench.api, self._group, timeout_s=bench.timeout_s))
        take_group_snapshot(bench.api, self._group)

    def wait(self) -> None:
        """Wait until it and all its members are ready to use. Raises StorageFailure at the deadline."""
        self._members = wait_group_taken(
            self.bench.api, self._group, claims=self.claims, timeout_s=self.bench.timeout_s
        )

    def restore(self) -> list[Claim]:
        """Request a copy of each volume; return them in the order of the claims."""
        return [
            _copy(self.bench, f"copy-{number}", member.name, member.restorable)
            for number, member in enumerate(self._members, 1)
        ]

    def delete(self) -> None:
        """Delete it, and wait until it, its members and their contents are deleted. Raises StorageFailure at the
        deadline."""
        delete_group_snapshot(self.bench.api, self._group, timeout_s=self.bench.timeout_s)


def _copy(bench: Bench, part: str, snapshot: str, restorable: RestorableSnapshot) -> Claim:
    source = DataSource(kind="VolumeSnapshot", name=snapshot, group=GROUP)
    return bench.claim(part, size=max(SIZE, restorable.size or 0), source=source)
