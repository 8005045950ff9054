"""What the suite asks of a storage system to have one replica rebuilt: the interface that every driver implements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Phase = Literal["waiting", "rebuilding", "whole"]


@dataclass(frozen=True, kw_only=True)
class TargetVolume:
    """The volume of the run whose replica is rebuilt. `volume`: its PersistentVolume; `size`: of its data, in bytes."""

    volume: str
    claim: str
    namespace: str
    storage_class: str
    node: str
    size: int


@dataclass(frozen=True, kw_only=True)
class RebuildState:
    """Where a rebuild stands. `progress`: the share of the data that is rebuilt, 0 to 1; None where it is not told.

    `waiting`: it has not begun; `whole`: all replicas hold all data again. `description`: the same in words.
    `failures`: what the system says of each try since the trigger that failed and that it makes anew by itself.
    """

    phase: Phase
    description: str
    progress: float | None = None
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Undo:
    """What of others' is changed by a rebuild, and the command that brings it back."""

    what: str
    how: str


class ReplicaRebuild(Protocol):
    """Rebuilds of one replica of one volume, one after the other."""

    @property
    def resolution_s(self) -> float:
        """How old what `look` tells may be (s): a rebuild may have begun, and ended, so long before it shows."""

    def require_whole(self) -> None:
        """See that the volume is the run's own, in use, and has all its replicas.

        Raises EnvironmentFailure where it is not so, Unsupported where a rebuild can never be had.
        """

    def trigger(self) -> str:
        """Make a rebuild necessary; what was done, in words. Raises AcceptanceError where that fails."""

    def look(self) -> RebuildState:
        """How far it is. A try that failed, and that the system makes anew by itself, is told and ends nothing.

        Raises StorageFailure when the rebuild has failed for good, with the system's own words.
        """

    def obstacles(self) -> list[str]:
        """What the system says of why it does not begin or go on; asked when it does not."""

    def restore(self) -> None:
        """Have the volume as it was before `trigger`, which may not have been called or may have failed half-way."""

    def wait_settled(self) -> None:
        """After `restore`, before another rebuild: until the system does no more work that the last one left behind.

        Raises StorageFailure when that does not end.
        """

    def undo(self) -> Undo | None:
        """What a run that is killed after `trigger` leaves for somebody else to bring back; None where the volume alone
        is changed, which goes with the run."""

    def settings(self) -> dict[str, str]:
        """Of the storage system and the volume, what influences how long a rebuild takes."""

    def rebuilt_bytes(self) -> int | None:
        """What a rebuild has to copy where that is not the data of this volume; None where it is."""


class RebuildDriver(Protocol):
    """One storage system's way. `name` stands in results and messages.

    `of_one_volume`: a rebuild copies the data of one volume, and its size can be chosen; else all that a disk holds.
    """

    name: str
    of_one_volume: bool

    def require_ready(self) -> None:
        """See, before anything is made, that rebuilds can be had here.

        Raises Unsupported, naming what lacks, or EnvironmentFailure with what to do.
        """

    def rebuild_of(self, volume: TargetVolume) -> ReplicaRebuild:
        """Rebuilds of that volume's replica; nothing is done yet."""
