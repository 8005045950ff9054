"""What each chapter of the report is made of, in the order of reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from acceptance.report.capabilities import capability_parts
from acceptance.report.crashes import crash_parts
from acceptance.report.disruptions import killed_pod_parts
from acceptance.report.filling import full_volume_parts
from acceptance.report.parts import Part
from acceptance.report.postgresql import postgresql_parts
from acceptance.report.snapshots import many_snapshots_parts, snapshot_parts
from acceptance.report.steps import step_parts
from acceptance.results.document import Results

_PARTS: dict[str, tuple[Callable[[Results], Iterable[Part]], ...]] = {
    "control-plane": (many_snapshots_parts,),
    "durability": (crash_parts, snapshot_parts, killed_pod_parts, full_volume_parts),
    "provisioning": (step_parts,),
    "features": (capability_parts,),
    "workloads": (postgresql_parts,),
}


def parts_of(results: Results) -> dict[str, list[Part]]:
    """By the id of the chapter; nothing for one that has no parts."""
    found = {chapter: [part for make in makers for part in make(results)] for chapter, makers in _PARTS.items()}
    return {chapter: parts for chapter, parts in found.items() if parts}
