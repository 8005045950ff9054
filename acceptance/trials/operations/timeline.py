"""How far each volume and each snapshot came, and when, as watches tell it. Pure; times in s, by one clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from acceptance.results.operations import Moment, ObjectKind, Operation


@dataclass(slots=True, kw_only=True)
class Tracked:
    """One object. `volume`: its PV, or the content of a snapshot. `capacity`: its bytes; `grown`: those that it was
    asked to have."""

    name: str
    kind: ObjectKind
    round: int
    at_s: dict[Moment, float] = field(default_factory=dict)
    late: set[Moment] = field(default_factory=set)
    failed: dict[Operation, str] = field(default_factory=dict)
    volume: str = ""
    created: str = ""
    capacity: int = 0
    grown: int = 0
    csi: bool = False
    retained: bool = False
    pod_gone: bool = True
    no_room: str = ""
    trouble: str = ""


class Timeline:
    """All objects by name; a pod has the name of its claim. What is told of any other is left out."""

    def __init__(self) -> None:
        self.objects: dict[str, Tracked] = {}
        self._by_volume: dict[str, str] = {}
        self._attachments: dict[str, dict[Moment, tuple[float, bool]]] = {}

    def add(self, names: Iterable[str], *, kind: ObjectKind, round_: int) -> None:
        """These will be asked for."""
        for name in names:
            self.objects[name] = Tracked(name=name, kind=kind, round=round_)

    def note(self, name: str, moment: Moment, at_s: float, *, late: bool = False) -> None:
        """The object came so far; only the first time counts."""
        tracked = self.objects.get(name)
        if tracked is None or moment in tracked.at_s:
            return
        tracked.at_s[moment] = at_s
        if late:
            tracked.late.add(moment)

    def is_volume_of(self, name: str, volume: str) -> None:
        """The claim has this volume; what was told of its attachment before is now known to be of it."""
        if name in self.objects and not self.objects[name].volume:
            self.objects[name].volume = volume
            self._by_volume[volume] = name
            for moment, (at_s, late) in self._attachments.pop(volume, {}).items():
                self.note(name, moment, at_s, late=late)

    def of_volume(self, volume: str) -> Tracked | None:
        """The object whose volume it is."""
        return self.objects.get(self._by_volume.get(volume, ""))

    def note_attachment(self, volume: str, moment: Moment, at_s: float, *, late: bool) -> None:
        """A volume came so far, of the trial or not: attachments name no claim."""
        name = self._by_volume.get(volume)
        if name is not None:
            self.note(name, moment, at_s, late=late)
        else:
            self._attachments.setdefault(volume, {}).setdefault(moment, (at_s, late))

    def without(self, names: Collection[str], moment: Moment) -> list[str]:
        """Those of the objects that did not come so far yet."""
        return [name for name in names if moment not in self.objects[name].at_s]

    def with_(self, names: Collection[str], moment: Moment) -> list[str]:
        """Those that did."""
        return [name for name in names if moment in self.objects[name].at_s]
