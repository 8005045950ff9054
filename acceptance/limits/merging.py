"""The merge of several files of limits: their tiers as one document, in which each profile has its own key.

A file may name a family of profiles (`"*-read-latency"`, or several names with commas between them) instead of one. An
entry of a profile by its own name precedes that of a family. Any other value that is set twice, and differently, is a
conflict: no file silently changes another one. Former keys of sections become the present ones; messages keep the key
that the file has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from acceptance.limits.declared import SECTIONS as DECLARED
from acceptance.text.strict_yaml import Document
from acceptance.text.strict_yaml import Path as YamlPath

SECTIONS = (*((section.key,) for section in DECLARED if section.by_profile), ("history", "limits"))
"""The sections of a tier whose keys are profiles."""
FORMER_KEYS = {section.formerly: section.key for section in DECLARED if section.formerly}
"""The present keys of sections by their former ones."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """The place of a value: the file, its line counted from 1, and the path as the file has it."""

    file: str
    line: int
    path: YamlPath


_NOWHERE = Place(file="", line=1, path=())
PlacedProblem = tuple[Place, str]
"""The place of an error, and its text."""


@dataclass(frozen=True, kw_only=True)
class LimitsText:
    """One parsed file. `profiles`: those that its families can contain."""

    name: str
    document: Document
    profiles: Collection[str]


@dataclass(frozen=True, kw_only=True)
class MergedLimits:
    """The content of all files together, and the place of each of its paths."""

    data: Any
    places: Mapping[YamlPath, Place]
    problems: Sequence[PlacedProblem]

    def place_of(self, path: YamlPath) -> Place:
        """Return the place of the path; of its nearest ancestor if no file has the path."""
        nearest = path
        while nearest and nearest not in self.places:
            nearest = nearest[:-1]
        near = self.places[nearest]
        return Place(file=near.file, line=near.line, path=near.path + path[len(nearest) :])


@dataclass(frozen=True, kw_only=True)
class _Value:
    """One value; `exact`: its profile is named by its own name."""

    value: Any
    place: Place
    exact: bool


@dataclass(kw_only=True)
class _Merging:
    values: dict[YamlPath, _Value] = field(default_factory=dict)
    places: dict[YamlPath, tuple[bool, Place]] = field(default_factory=dict)
    problems: list[PlacedProblem] = field(default_factory=list)

    def take(self, text: LimitsText) -> None:
        """Add the content of this file."""
        lines = text.document.lines
        for path, line in lines.items():
            place = Place(file=text.name, line=line, path=path)
            members, exact = _members(path, text.profiles)
            if not members and path[:-1] in lines and _members(path[:-1], text.profiles)[0]:
                self.problems.append((place, _no_member(path[-1], text.profiles)))
            for member in members:
                if member not in self.places or (exact and not self.places[member][0]):
                    self.places[member] = exact, place
        for path, value in _leaves(text.document.data):
            place = Place(file=text.name, line=text.document.line_of(path), path=path)
            members, exact = _members(path, text.profiles)
            for member in members:
                self._add(member, _Value(value=value, place=place, exact=exact))

    def _add(self, path: YamlPath, new: _Value) -> None:
        old = self.values.get(path)
        if old is None or (new.exact and not old.exact):
            self.values[path] = new
        elif old.exact == new.exact and old.value != new.value:
            self.problems.append((new.place, _conflict(old, new)))

    def data(self) -> dict[str, Any]:
        """Return the content as one nested document."""
        whole: dict[str, Any] = {}
        for path, entry in self.values.items():
            *parents, last = map(str, path)
            at: Any = whole
            for key in parents:
                at = at.setdefault(key, {}) if isinstance(at, dict) else None
            value = {} if entry.value == {} else entry.value
            if not isinstance(at, dict) or isinstance(at.setdefault(last, value), dict) != isinstance(value, dict):
                text = (
                    "expected the same form of this key, found a mapping in one place and a value in another; remove "
                    "one of them"
                )
                self.problems.append((entry.place, text))
        return whole


def merge(texts: Sequence[LimitsText]) -> MergedLimits:
    """Merge the files and report their contradictions. Files that are no mappings are left out."""
    merging = _Merging()
    for text in texts:
        if isinstance(text.document.data, dict):
            merging.take(text)
    data = merging.data()
    places = {path: place for path, (_, place) in merging.places.items()}
    return MergedLimits(data=data, places={(): _NOWHERE} | places, problems=merging.problems)


def is_family(key: object) -> bool:
    """Return whether a key names several profiles."""
    return isinstance(key, str) and any(mark in key for mark in "*?,")


def members_of(family: str, profiles: Collection[str]) -> list[str]:
    """Return the profiles of a family, in their order; unknown names are kept, so that the caller can report them."""
    members: list[str] = []
    for part in (name.strip() for name in family.split(",")):
        pattern = "*" in part or "?" in part
        members += (
            [profile for profile in sorted(profiles) if fnmatchcase(profile, part)]
            if pattern
            else [part]
            if part
            else []
        )
    return list(dict.fromkeys(members))


def _members(path: YamlPath, profiles: Collection[str]) -> tuple[list[YamlPath], bool]:
    """Return the paths that a path of a file stands for, and whether it names the profile itself."""
    path = _present(path)
    at = _profile_at(path)
    if at is None or not is_family(path[at]):
        return [path], True
    return [(*path[:at], member, *path[at + 1 :]) for member in members_of(str(path[at]), profiles)], False


def _present(path: YamlPath) -> YamlPath:
    """Return the path with the present key of its section."""
    is_former = path[:1] == ("tiers",) and len(path) > 2 and path[2] in FORMER_KEYS
    return (*path[:2], FORMER_KEYS[str(path[2])], *path[3:]) if is_former else path


def _profile_at(path: YamlPath) -> int | None:
    """Return the index of the profile in a path."""
    if path[:1] != ("tiers",):
        return None
    for section in SECTIONS:
        at = 2 + len(section)
        if path[2:at] == section and len(path) > at:
            return at
    return None


def _leaves(value: Any, path: YamlPath = ()) -> Iterator[tuple[YamlPath, Any]]:
    """Yield the values that are no mappings, or empty ones, with their paths; a list is one value."""
    if isinstance(value, dict) and (value or not path):
        for key, child in value.items():
            yield from _leaves(child, (*path, key))
    else:
        yield path, value


def _no_member(family: object, profiles: Collection[str]) -> str:
    names = ", ".join(sorted(profiles)) or "none"
    return f"expected a family that contains a profile (available: {names}), found {family!r}; correct it or add one"


def _conflict(old: _Value, new: _Value) -> str:
    there = f"{old.value!r} on line {old.place.line}"
    if old.place.file != new.place.file:
        return (
            f"expected one value for this key, found {new.value!r} here and {old.value!r} in "
            f"{old.place.file}:{old.place.line}; remove one of them, or set it in a tier of another name that "
            "extends this one"
        )
    if old.exact:
        return f"expected one value for this key, found {new.value!r} here and {there}; remove one of them"
    return (
        f"expected one family that sets this key for a profile, found {new.value!r} here and {there}; name the profile "
        "itself, which takes precedence over families"
    )
