"""The conditions that keep Ceph from being ready, from its own `ceph status`; pure."""

from collections.abc import Mapping
from typing import Any

Status = Mapping[str, Any]


def lacking(status: Status, *, osds: int) -> list[str]:
    """Return what is not ready, in words; nothing if files can be stored and all copies of them exist."""
    problems = ["no manager is available"] * (not _of(status, "mgrmap").get("available"))
    up = int(_of(status, "osdmap").get("num_up_osds") or 0)
    problems += [f"{up} of {osds} OSDs are up"] * (up < osds)
    ranks = _of(status, "fsmap").get("by_rank") or []
    active = [rank for rank in ranks if rank.get("status") == "up:active"]
    problems += ["no metadata server is active"] * (not active)
    groups = _of(status, "pgmap").get("pgs_by_state") or []
    problems += ["there are no placement groups"] * (not groups)
    problems += [
        f"{group['count']} placement groups are {group['state_name']}" for group in groups if not _whole(group)
    ]
    return problems


def _whole(groups: Mapping[str, Any]) -> bool:
    """Return whether the copies are complete, as they also are while placement groups are scrubbed."""
    return str(groups["state_name"]).startswith("active+clean")


def health(status: Status) -> str:
    """Return Ceph's own health status, and its reasons."""
    details = _of(status, "health")
    checks = details.get("checks") or {}
    why = [str((check.get("summary") or {}).get("message")) for check in checks.values()]
    return ": ".join([str(details.get("status")), *(["; ".join(why)] if why else [])])


def _of(status: Status, part: str) -> Mapping[str, Any]:
    value = status.get(part)
    return value if isinstance(value, dict) else {}
