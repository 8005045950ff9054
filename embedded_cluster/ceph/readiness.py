"""What Ceph lacks to be ready, from its own `ceph status`; pure."""

from collections.abc import Mapping
from typing import Any

Status = Mapping[str, Any]


def lacking(status: Status, *, osds: int) -> list[str]:
    """What is not ready, in words; nothing when files can be stored and all copies of them are there."""
    found = ["no manager is available"] * (not _of(status, "mgrmap").get("available"))
    up = int(_of(status, "osdmap").get("num_up_osds") or 0)
    found += [f"{up} of {osds} OSDs are up"] * (up < osds)
    ranks = _of(status, "fsmap").get("by_rank") or []
    active = [rank for rank in ranks if rank.get("status") == "up:active"]
    found += ["no metadata server is active"] * (not active)
    groups = _of(status, "pgmap").get("pgs_by_state") or []
    found += ["there are no placement groups"] * (not groups)
    found += [f"{group['count']} placement groups are {group['state_name']}" for group in groups if not _whole(group)]
    return found


def _whole(groups: Mapping[str, Any]) -> bool:
    """Placement groups that are scrubbed meanwhile are as whole as before."""
    return str(groups["state_name"]).startswith("active+clean")


def health(status: Status) -> str:
    """Ceph's own word for how it is, and what it says of it."""
    said = _of(status, "health")
    checks = said.get("checks") or {}
    why = [str((check.get("summary") or {}).get("message")) for check in checks.values()]
    return ": ".join([str(said.get("status")), *(["; ".join(why)] if why else [])])


def _of(status: Status, part: str) -> Mapping[str, Any]:
    found = status.get(part)
    return found if isinstance(found, dict) else {}
