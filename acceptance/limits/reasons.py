"""The reason of a limit that says none: that of the same limit of its family or parent; and sources by their keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from acceptance.limits.references import Found, ancestors
from acceptance.text.strict_yaml import Path as YamlPath

REASON, SOURCE = "because", "source"
_SOURCES = re.compile(r" \(source: (?P<keys>[^()]+)\)$")


def with_reasons(data: Any) -> tuple[Any, list[Found]]:
    """The document with a reason at each limit that has inherited one, and its sources named in it; what is wrong.

    A limit without `because` has that of the nearest tier that it extends, with its source, where that one has a limit
    at the same place: the same section, profile and metric. One with a reason of its own has no other source.
    """
    tiers = data.get("tiers") if isinstance(data, dict) else None
    if not isinstance(tiers, dict):
        return data, []
    known = data.get("sources") if isinstance(data.get("sources"), dict) else {}
    parents = {name: tier.get("extends") if isinstance(tier, dict) else None for name, tier in tiers.items()}
    problems: list[Found] = []
    said = {
        name: _reasoned(
            tier, [tiers[ancestor] for ancestor in ancestors(name, parents)], ("tiers", name), known, problems
        )
        for name, tier in tiers.items()
    }
    return data | {"tiers": said}, problems


def sources_of(reason: str) -> tuple[str, ...]:
    """The keys of the sources that a reason names: those that `_reasoned` has added to it."""
    found = _SOURCES.search(reason)
    return tuple(found["keys"].split(", ")) if found else ()


def _reasoned(node: Any, above: Iterable[Any], path: YamlPath, known: Mapping[str, Any], problems: list[Found]) -> Any:
    """The mapping at `path`, and all in it; `above`: what the tiers that it extends have there, the nearest first."""
    if isinstance(node, list):
        return [_reasoned(each, (), (*path, place), known, problems) for place, each in enumerate(node)]
    if not isinstance(node, dict):
        return node
    parents = [each for each in above if isinstance(each, dict)]
    if REASON not in node and node:
        inherited: dict[str, Any] = next((each for each in parents if REASON in each), {})
        node = {key: inherited[key] for key in (REASON, SOURCE) if key in inherited} | node
    found = {
        key: _reasoned(each, [parent.get(key) for parent in parents], (*path, key), known, problems)
        for key, each in node.items()
        if key != SOURCE
    }
    if SOURCE in node:
        keys = node[SOURCE] if isinstance(node[SOURCE], list) else [node[SOURCE]]
        problems += [
            ((*path, SOURCE), _unknown(each, known)) for each in keys if not isinstance(each, str) or each not in known
        ]
        if isinstance(found.get(REASON), str):
            found[REASON] = f"{found[REASON].strip()} (source: {', '.join(map(str, keys))})"
    return found


def _unknown(key: Any, known: Mapping[str, Any]) -> str:
    listed = ", ".join(known) or "none at all"
    return f"wanted one of the sources of the file ({listed}), found {key!r}; correct it, or add it under sources:"
