"""The interface that every driver implements: how the suite has a storage system rebuild one replica."""

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
    """The state of a rebuild. `progress`: the share of the data that is rebuilt, 0 to 1; None if it is not reported.

    `waiting`: it has not begun; `whole`: all replicas hold all data again. `description`: the state in words.
    `failures`: the system's message on each try since the trigger that failed and that it repeats by itself.
    """

    phase: Phase
    description: str
    progress: float | None = None
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Undo:
    """The change to what belongs to others in a rebuild, and the command that reverts it. `subject`: what is
    changed."""

    subject: str
    how: str


class ReplicaRebuild(Protocol):
    """Rebuilds of one replica of one volume, one after the other."""

    @property
    def resolution_s(self) -> float:
        """The age in s that the answer of `look` may have: a rebuild may have begun, or ended, that long before it
        shows."""

    def require_whole(self) -> None:
        """Require that the volume is the run's own, in use, and has all its replicas.

        Raises EnvironmentFailure if it is not so, Unsupported if a rebuild is never possible.
        """

    def trigger(self) -> str:
        """Make a rebuild necessary; return what was done, in words. Raises AcceptanceError if that fails."""

    def look(self) -> RebuildState:
        """Return the state of the rebuild. A try that failed, and that the system repeats by itself, is reported and
        ends nothing.

        Raises StorageFailure if the rebuild has failed for good, with the system's own words.
        """

    def obstacles(self) -> list[str]:
        """Return the system's reasons why it does not begin or continue; called if it does not."""

    def restore(self) -> None:
        """Restore the volume as it was before `trigger`, which may not have been called or may have failed half-way."""

    def wait_settled(self) -> None:
        """Wait after `restore`, before another rebuild, until the system does no more work that the last one left
        behind.

        Raises StorageFailure if that does not end.
        """

    def undo(self) -> Undo | None:
        """Return what a run that is killed after `trigger` leaves for others to revert; None if only the volume is
        changed, which is deleted with the run."""

    def settings(self) -> dict[str, str]:
        """Return the settings of the storage system and the volume that influence how long a rebuild takes."""

    def rebuilt_bytes(self) -> int | None:
        """Return the bytes that a rebuild has to copy if these are not the data of this volume; None if they are."""


class RebuildDriver(Protocol):
    """The way of one storage system. `name` appears in results and messages.

    `of_one_volume`: a rebuild copies the data of one volume, and its size can be chosen; otherwise all that a disk
    holds.
    """

    name: str
    of_one_volume: bool

    def require_ready(self) -> None:
        """Require, before anything is created, that rebuilds are possible here.

        Raises Unsupported, naming what lacks, or EnvironmentFailure with what to do.
        """

    def rebuild_of(self, volume: TargetVolume) -> ReplicaRebuild:
        """Return the rebuilds of that volume's replica; nothing is done yet."""
