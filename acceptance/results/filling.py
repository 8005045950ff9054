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
    "error": "A full volume reports that no space is left",
    "kept": "A full volume keeps its data",
    "others": "A full volume harms no other volume of its class",
    "again": "A full volume accepts writes again after files are deleted",
    "growth": "A full volume can be expanded",
    "trim": "Deleting and trimming the files of a full volume frees their space",
    "space": "Deleting a full volume frees its space",
}


class Finding(Frozen):
    """The finding about one behavior that a full volume must have."""

    aspect: Aspect
    status: Literal["held", "failed", "not_tried"]
    how: str = Field(description="the observation, in words")


class FullVolumeRecord(Frozen):
    """A volume that was filled until a write failed."""

    storage_class: str
    node: str
    size: int = Field(description="requested bytes")
    free: int = Field(description="bytes that the empty volume showed as free")
    written: int = Field(description="bytes that were durable before a write failed")
    seconds: float = Field(description="seconds that filling took, including its pod")
    findings: list[Finding]
