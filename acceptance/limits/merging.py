"""What several files of limits say together: their tiers as one document, in which each profile stands by its name.

A file may name a family of profiles (`"*-read-latency"`, or several names with commas between them) where it could name
one. What it says of a profile by its own name counts more than what it says of a family. Whatever else is said twice,
and not the same, is a conflict: no file silently changes what another one says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from acceptance.limits.declared import SECTIONS as DECLARED
from acceptance.text.strict_yaml import Document
from acceptance.text.strict_yaml import Path as YamlPath

SECTIONS = (*((each.key,) for each in DECLARED if each.by_profile), ("history", "limits"))
"""The sections of a tier whose keys are profiles."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where something is said: the file, its line counted from 1, and the path as the file has it."""

    file: str
    line: int
    path: YamlPath


_NOWHERE = Place(file="", line=1, path=())
Told = tuple[Place, str]
"""Where something is wrong, and what."""


@dataclass(frozen=True, kw_only=True)
class LimitsText:
    """One file as it was read. `profiles`: those that its families can be of."""

    name: str
    document: Document
    profiles: Collection[str]


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What all files say together, and where each path of it comes from."""

    data: Any
    places: Mapping[YamlPath, Place]
    problems: Sequence[Told]

    def place_of(self, path: YamlPath) -> Place:
        """Where the path is said; of one that no file has, where its nearest ancestor is."""
        known = path
        while known and known not in self.places:
            known = known[:-1]
        near = self.places[known]
        return Place(file=near.file, line=near.line, path=near.path + path[len(known) :])


@dataclass(frozen=True, kw_only=True)
class _Said:
    """One value; `exact`: of a profile that is named by its own name."""

    value: Any
    place: Place
    exact: bool


@dataclass(kw_only=True)
class _Merging:
    said: dict[YamlPath, _Said] = field(default_factory=dict)
    places: dict[YamlPath, tuple[bool, Place]] = field(default_factory=dict)
    problems: list[Told] = field(default_factory=list)

    def take(self, text: LimitsText) -> None:
        """Add what this file says."""
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
                self._add(member, _Said(value=value, place=place, exact=exact))

    def _add(self, path: YamlPath, new: _Said) -> None:
        old = self.said.get(path)
        if old is None or (new.exact and not old.exact):
            self.said[path] = new
        elif old.exact == new.exact and old.value != new.value:
            self.problems.append((new.place, _conflict(old, new)))

    def data(self) -> dict[str, Any]:
        """As one nested document."""
        whole: dict[str, Any] = {}
        for path, said in self.said.items():
            *parents, last = map(str, path)
            at: Any = whole
            for key in parents:
                at = at.setdefault(key, {}) if isinstance(at, dict) else None
            value = {} if said.value == {} else said.value
            if not isinstance(at, dict) or isinstance(at.setdefault(last, value), dict) != isinstance(value, dict):
                told = "wanted one form of it, found a mapping in one place and a value in another; remove one of them"
                self.problems.append((said.place, told))
        return whole


def merge(texts: Sequence[LimitsText]) -> Merged:
    """What the files say together, with what contradicts each other. Files that are no mappings are left out."""
    merging = _Merging()
    for text in texts:
        if isinstance(text.document.data, dict):
            merging.take(text)
    data = merging.data()
    places = {path: each for path, (_, each) in merging.places.items()}
    return Merged(data=data, places={(): _NOWHERE} | places, problems=merging.problems)


def is_family(key: object) -> bool:
    """Whether a key names several profiles."""
    return isinstance(key, str) and any(mark in key for mark in "*?,")


def members_of(family: str, profiles: Collection[str]) -> list[str]:
    """The profiles of a family, in their order; a name in it that is none is kept, for others to tell of."""
    found: list[str] = []
    for part in (each.strip() for each in family.split(",")):
        pattern = "*" in part or "?" in part
        found += (
            [profile for profile in sorted(profiles) if fnmatchcase(profile, part)]
            if pattern
            else [part]
            if part
            else []
        )
    return list(dict.fromkeys(found))


def _members(path: YamlPath, profiles: Collection[str]) -> tuple[list[YamlPath], bool]:
    """The paths that a path of a file stands for, and whether it names the profile itself."""
    at = _profile_at(path)
    if at is None or not is_family(path[at]):
        return [path], True
    return [(*path[:at], member, *path[at + 1 :]) for member in members_of(str(path[at]), profiles)], False


def _profile_at(path: YamlPath) -> int | None:
    """Where in a path the profile stands."""
    if path[:1] != ("tiers",):
        return None
    for section in SECTIONS:
        at = 2 + len(section)
        if path[2:at] == section and len(path) > at:
            return at
    return None


def _leaves(value: Any, path: YamlPath = ()) -> Iterator[tuple[YamlPath, Any]]:
    """What is no mapping, or an empty one; lists are told whole."""
    if isinstance(value, dict) and (value or not path):
        for key, each in value.items():
            yield from _leaves(each, (*path, key))
    else:
        yield path, value


def _no_member(family: object, profiles: Collection[str]) -> str:
    known = ", ".join(sorted(profiles)) or "none at all"
    return f"wanted a family with a profile in it (of {known}), found {family!r}; correct it or add a profile"


def _conflict(old: _Said, new: _Said) -> str:
    there = f"{old.value!r} on line {old.place.line}"
    if old.place.file != new.place.file:
        return (
            f"wanted one value for it, found {new.value!r} here and {old.value!r} in "
            f"{old.place.file}:{old.place.line}; remove one of them, or set it in a tier of another name that "
            "extends this one"
        )
    return (
        f"wanted one family that sets it for a profile, found {new.value!r} here and {there}; name the profile "
        "itself, which takes precedence over families"
    )
