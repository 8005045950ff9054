"""What Ceph's `status`, `osd df` and `osd dump` say, as JSON, of a recovery. Pure: nothing is asked of a cluster here.

Ceph tells nothing by volume: what it says here is of all that it stores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.driver import RebuildState

CLEAN = "active+clean"
"""the state of a placement group whose replicas are all whole; scrubbing may be added to it"""
NEARFULL = 0.85
"""Ceph's own default of `nearfull_ratio`"""
_KIB = 1024


def parse(text: str, *, of: str) -> dict[str, Any]:
    """The JSON document that `ceph ... -f json` printed. Raises EnvironmentFailure for anything else."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise EnvironmentFailure(f"`{of}`: wanted a JSON document, found {text.strip()[:200]!r}")
    return found


def misplaced_objects(status: Mapping[str, Any]) -> int:
    """Copies of objects that lack or are not where they should be."""
    pgmap = status.get("pgmap") or {}
    return int(pgmap.get("degraded_objects") or 0) + int(pgmap.get("misplaced_objects") or 0)


def unclean_groups(status: Mapping[str, Any]) -> dict[str, int]:
    """Placement groups that are not clean, by state."""
    found = (status.get("pgmap") or {}).get("pgs_by_state") or []
    return {str(each["state_name"]): int(each["count"]) for each in found if not _clean(str(each["state_name"]))}


def _clean(state: str) -> bool:
    return state == CLEAN or state.startswith(f"{CLEAN}+scrubbing")


def recovery_state(status: Mapping[str, Any], *, most_objects: int) -> RebuildState:
    """How far the recovery is; `most_objects`: the most that were seen to lack so far, 0 before any was."""
    objects, unclean = misplaced_objects(status), unclean_groups(status)
    if not objects and not unclean:
        if most_objects:
            return RebuildState(phase="whole", description=f"all placement groups {CLEAN}", progress=1.0)
        return RebuildState(phase="waiting", description="no object is on its way yet")
    groups = ", ".join(f"{count} {state}" for state, count in sorted(unclean.items())) or "none unclean"
    most = max(most_objects, objects)
    share = 1 - objects / most if most else None
    return RebuildState(phase="rebuilding", description=f"{objects} copies to go, groups: {groups}", progress=share)


def stored_bytes(osd_df: Mapping[str, Any], osd: int) -> int:
    """The data (bytes) that the OSD holds, which is what the others copy when it is out.

    Raises EnvironmentFailure where there is no such OSD.
    """
    nodes = osd_df.get("nodes") or []
    for each in nodes:
        if each.get("id") == osd:
            return int(each.get("kb_used_data") or each.get("kb_used") or 0) * _KIB
    known = ", ".join(str(each.get("id")) for each in nodes)
    raise EnvironmentFailure(f"wanted OSD {osd} of the target file, found only {known or 'none'}")


def require_room(osd_df: Mapping[str, Any], osd_dump: Mapping[str, Any], *, osd: int) -> None:
    """See that what the OSD holds would not fill the others that are in, beyond Ceph's own mark.

    Beyond `nearfull_ratio` a single OSD that gets more than its part soon is full, and then the whole cluster takes no
    writes, whoever's: https://docs.ceph.com/en/latest/rados/operations/health-checks/#osd-nearfull. Raises
    EnvironmentFailure.
    """
    others = [each for each in osd_df.get("nodes") or [] if each.get("id") != osd and is_in(osd_dump, each["id"])]
    size = sum(int(each.get("kb") or 0) for each in others) * _KIB
    used = sum(int(each.get("kb_used") or 0) for each in others) * _KIB + stored_bytes(osd_df, osd)
    mark = float(osd_dump.get("nearfull_ratio") or NEARFULL)
    if not size or used / size > mark:
        found = f"that they would be {100 * used / size:.0f} % full without it" if size else "no other that is in"
        raise EnvironmentFailure(
            f"wanted room on the other OSDs for what osd.{osd} holds, found {found}; Ceph warns from {100 * mark:g} % "
            "on (nearfull_ratio); free some space or add OSDs"
        )


def is_in(osd_dump: Mapping[str, Any], osd: int) -> bool:
    """Whether data may be placed on the OSD. Raises EnvironmentFailure where there is no such OSD."""
    for each in osd_dump.get("osds") or []:
        if each.get("osd") == osd:
            return bool(each.get("in"))
    raise EnvironmentFailure(f"wanted OSD {osd} of the target file, found none of that number")
