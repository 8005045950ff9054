"""Figures that others have published, as golden tests read them: the files in `published/`, and each figure in them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "published"
ROOT = Path(__file__).parents[2]


def published(name: str) -> dict[str, Any]:
    """The figures of one file; what they are and who published them is said in it."""
    data: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return data


def said_in_limits(words: str) -> bool:
    """Whether the comments of thresholds.yaml have these words, however its lines are broken."""
    text = (ROOT / "thresholds.yaml").read_text(encoding="utf-8")
    return words in " ".join(part for line in text.splitlines() for part in line.replace("#", " ").split())


def places(data: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where each figure stands: keys and indices from the outside in. Keys of a mapping are conditions, no figures."""
    if isinstance(data, dict | list):
        for key, each in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(each, (*before, key))
    else:
        yield before


def changed(data: dict[str, Any], place: tuple[Any, ...], *, factor: float) -> dict[str, Any]:
    """The same, with one figure multiplied."""
    copy = deepcopy(data)
    holder: Any = copy
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] *= factor
    return copy
