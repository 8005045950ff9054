"""The references within a file of limits: profiles and parents must exist, and parents must form no circle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from acceptance.limits.merging import SECTIONS
from acceptance.text.strict_yaml import Path as YamlPath

PathProblem = tuple[YamlPath, str]
"""A path in the file, and the error there."""


def reference_problems(data: Any, *, profiles: Collection[str]) -> Iterator[PathProblem]:
    """Yield the errors between parts of the file: profiles and parents that do not exist, circles of parents.

    It works on the plain data, so that these errors are reported together with all others.
    """
    tiers = _mapping(_mapping(data).get("tiers"))
    parents = {name: _mapping(tier).get("extends") for name, tier in tiers.items()}
    for name, tier in tiers.items():
        for section in SECTIONS:
            for profile in _mapping(_at(tier, section)):
                if profile not in profiles:
                    names = ", ".join(sorted(profiles)) or "none"
                    remedy = "correct the name or add a profile"
                    text = f"expected a profile that exists (available: {names}), found {profile!r}; {remedy}"
                    yield ("tiers", name, *section, profile), text
        parent = parents[name]
        here = ("tiers", name, "extends")
        if isinstance(parent, str) and parent not in tiers:
            yield (
                here,
                f"expected one of the tiers {', '.join(tiers)}, found {parent!r}; correct the name or add the tier",
            )
        elif name in (circle := ancestors(name, parents)):
            text = " -> ".join((name, *circle[: circle.index(name) + 1]))
            yield here, f"expected a parent that does not extend its own child, found {text}; remove one extends"


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _at(value: Any, path: Iterable[str]) -> Any:
    for key in path:
        value = _mapping(value).get(key)
    return value


def ancestors(name: str, parents: dict[str, Any]) -> list[str]:
    """Return the ancestors of a tier, nearest first; each once, so that it ends in a circle too."""
    chain: list[str] = []
    parent = parents.get(name)
    while isinstance(parent, str) and parent in parents and parent not in chain:
        chain.append(parent)
        parent = parents.get(parent)
    return chain
