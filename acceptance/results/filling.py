"""Records of volumes that were filled completely: the models behind `full_volumes` in `results.json`. Bytes, s.

They import no model of the results that holds them.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from acceptance.results.model import Frozen

Aspect = Literal["error", "kept", "others", "again", "growth", "trim", "space"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
TITLES: dict[Aspect, str] = {
    "error": "A full volume says that no space is left, once it is full",
    "kept": "A full volume keeps what was written to it",
    "others": "A full volume harms no other volume of its class",
    "again": "A full volume takes writes again once files are deleted",
    "growth": "A full volume grows",
    "trim": "A full volume whose files are deleted and trimmed gives their space back",
    "space": "A full volume that is deleted gives its space back",
}


class Finding(Frozen):
    """The finding about one behavior that a full volume must have."""

    aspect: Aspect
    status: Literal["held", "failed", "not_tried"]
    how: str = Field(description="what was seen, in words")


class FullVolumeRecord(Frozen):
    """A volume that was filled until a write failed."""

    storage_class: str
    node: str
    size: int = Field(description="that was asked for")
    free: int = Field(description="that the empty volume showed as free")
    written: int = Field(description="that were durable before a write failed")
    seconds: float = Field(description="that filling took, with its pod")
    findings: list[Finding]
