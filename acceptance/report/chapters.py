"""What each chapter of the report is made of, in the order of reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from acceptance.report.capabilities import capability_parts
from acceptance.report.crashes import crash_parts
from acceptance.report.disruptions import killed_pod_parts
from acceptance.report.filling import full_volume_parts
from acceptance.report.many_files import many_files_parts
from acceptance.report.many_volumes import scaling_parts
from acceptance.report.neighbours import neighbour_parts
from acceptance.report.operations import operation_parts
from acceptance.report.parts import Part
from acceptance.report.pictures import trend
from acceptance.report.postgresql import postgresql_parts
from acceptance.report.price import price_parts
from acceptance.report.ramps import HEADING, ramp_parts
from acceptance.report.rebuilds import rebuild_parts
from acceptance.report.snapshots import many_snapshots_parts, snapshot_parts
from acceptance.report.steps import step_parts
from acceptance.report.sustained import sustained_parts
from acceptance.report.under_load import under_load_parts
from acceptance.results.document import Results


def trend_parts(results: Results) -> Iterable[Part]:
    """What earlier runs say of each metric that has a limit on that."""
    return (Part(blocks=[trend(each)]) for each in results.trends)


_PARTS: dict[str, tuple[Callable[[Results], Iterable[Part]], ...]] = {
    "many-volumes": (scaling_parts,),
    "control-plane": (ramp_parts, operation_parts, many_snapshots_parts),
    "rebuild": (rebuild_parts,),
    "durability": (crash_parts, snapshot_parts, killed_pod_parts, full_volume_parts),
    "provisioning": (step_parts,),
    "features": (capability_parts,),
    "history": (trend_parts,),
    "sustained": (sustained_parts,),
    "under-load": (under_load_parts, neighbour_parts),
    "workloads": (postgresql_parts,),
    "many-files": (many_files_parts,),
    "price": (price_parts,),
}


def parts_of(results: Results) -> dict[str, list[Part]]:
    """By the id of the chapter; nothing for one that has no parts."""
    found = {chapter: [part for make in makers for part in make(results)] for chapter, makers in _PARTS.items()}
    return {chapter: parts for chapter, parts in found.items() if parts}


def headings_of(results: Results) -> dict[str, str]:
    """Those of chapters that have another than their title, where they hold more than that says."""
    return {"control-plane": HEADING} if results.control_plane else {}
