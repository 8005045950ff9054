"""The moments that each volume and each snapshot reached, as watches report them. Pure; times in s, by one clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from acceptance.results.operations import Moment, ObjectKind, Operation


@dataclass(slots=True, kw_only=True)
class TrackedObject:
    """One object. `volume`: its PV, or the content of a snapshot. `capacity`: its bytes; `requested_size`: the bytes
    that it was asked to grow to."""

    name: str
    kind: ObjectKind
    round: int
    at_s: dict[Moment, float] = field(default_factory=dict)
    late: set[Moment] = field(default_factory=set)
    failures: dict[Operation, str] = field(default_factory=dict)
    volume: str = ""
    created_at: str = ""
    capacity: int = 0
    requested_size: int = 0
    csi: bool = False
    is_retained: bool = False
    pod_gone: bool = True
    no_room: str = ""
    trouble: str = ""


class Timeline:
    """All objects by name; a pod has the name of its claim. Reports about any other object are ignored."""

    def __init__(self) -> None:
        self.objects: dict[str, TrackedObject] = {}
        self._by_volume: dict[str, str] = {}
        self._attachments: dict[str, dict[Moment, tuple[float, bool]]] = {}

    def add(self, names: Iterable[str], *, kind: ObjectKind, round_: int) -> None:
        """Add objects that will be requested."""
        for name in names:
            self.objects[name] = TrackedObject(name=name, kind=kind, round=round_)

    def note(self, name: str, moment: Moment, at_s: float, *, late: bool = False) -> None:
        """Note that the object reached the moment; only the first time counts."""
        obj = self.objects.get(name)
        if obj is None or moment in obj.at_s:
            return
        obj.at_s[moment] = at_s
        if late:
            obj.late.add(moment)

    def is_volume_of(self, name: str, volume: str) -> None:
        """Note that the claim has this volume; earlier reports about the volume's attachment now belong to the
        claim."""
        if name in self.objects and not self.objects[name].volume:
            self.objects[name].volume = volume
            self._by_volume[volume] = name
            for moment, (at_s, late) in self._attachments.pop(volume, {}).items():
                self.note(name, moment, at_s, late=late)

    def of_volume(self, volume: str) -> TrackedObject | None:
        """Return the object that has the volume."""
        return self.objects.get(self._by_volume.get(volume, ""))

    def note_attachment(self, volume: str, moment: Moment, at_s: float, *, late: bool) -> None:
        """Note that a volume reached the moment, one of the trial or not: attachments name no claim."""
        name = self._by_volume.get(volume)
        if name is not None:
            self.note(name, moment, at_s, late=late)
        else:
            self._attachments.setdefault(volume, {}).setdefault(moment, (at_s, late))

    def without(self, names: Collection[str], moment: Moment) -> list[str]:
        """Return the objects that have not reached the moment yet."""
        return [name for name in names if moment not in self.objects[name].at_s]

    def with_(self, names: Collection[str], moment: Moment) -> list[str]:
        """Return the objects that have reached the moment."""
        return [name for name in names if moment in self.objects[name].at_s]
