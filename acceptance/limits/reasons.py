"""The inherited reason of a limit without one: that of the same limit of its parent; and sources by their keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from acceptance.limits.references import PathProblem, ancestors
from acceptance.text.strict_yaml import Path as YamlPath

REASON, SOURCE = "because", "source"
_SOURCES = re.compile(r" \(source: (?P<keys>[^()]+)\)$")


def with_reasons(data: Any) -> tuple[Any, list[PathProblem]]:
    """Return the document with the inherited reason of each limit, which names its sources; and the problems.

    A limit without `because` gets that of the nearest tier that it extends, with its source, if that tier has a limit
    at the same place: the same section, profile and metric. One with a reason of its own has no other source.
    """
    tiers = data.get("tiers") if isinstance(data, dict) else None
    if not isinstance(tiers, dict):
        return data, []
    sources = data.get("sources") if isinstance(data.get("sources"), dict) else {}
    parents = {name: tier.get("extends") if isinstance(tier, dict) else None for name, tier in tiers.items()}
    problems: list[PathProblem] = []
    tiers_with_reasons = {
        name: _add_reasons(
            tier, [tiers[ancestor] for ancestor in ancestors(name, parents)], ("tiers", name), sources, problems
        )
        for name, tier in tiers.items()
    }
    return data | {"tiers": tiers_with_reasons}, problems


def sources_of(reason: str) -> tuple[str, ...]:
    """Return the keys of the sources that a reason names: those that `_add_reasons` has added to it."""
    match = _SOURCES.search(reason)
    return tuple(match["keys"].split(", ")) if match else ()


def _add_reasons(
    node: Any, above: Iterable[Any], path: YamlPath, sources: Mapping[str, Any], problems: list[PathProblem]
) -> Any:
    """Return the mapping at `path` with reasons; `above`: the same path in the tiers that it extends, nearest first."""
    if isinstance(node, list):
        return [_add_reasons(child, (), (*path, place), sources, problems) for place, child in enumerate(node)]
    if not isinstance(node, dict):
        return node
    parents = [ancestor for ancestor in above if isinstance(ancestor, dict)]
    if REASON not in node and node:
        source_entry: dict[str, Any] = next((parent for parent in parents if REASON in parent), {})
        node = {key: source_entry[key] for key in (REASON, SOURCE) if key in source_entry} | node
    children = {
        key: _add_reasons(child, [parent.get(key) for parent in parents], (*path, key), sources, problems)
        for key, child in node.items()
        if key != SOURCE
    }
    if SOURCE in node:
        keys = node[SOURCE] if isinstance(node[SOURCE], list) else [node[SOURCE]]
        problems += [
            ((*path, SOURCE), _unknown(key, sources)) for key in keys if not isinstance(key, str) or key not in sources
        ]
        if isinstance(children.get(REASON), str):
            children[REASON] = f"{children[REASON].strip()} (source: {', '.join(map(str, keys))})"
    return children


def _unknown(key: Any, sources: Mapping[str, Any]) -> str:
    names = ", ".join(sources) or "none"
    return f"expected a source of the file (available: {names}), found {key!r}; correct it, or add it under sources:"
