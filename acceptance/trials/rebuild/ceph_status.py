"""The reports of Ceph's `pg stat`, `osd df` and `osd dump` on a recovery, as JSON. Pure: no cluster is queried here.

Ceph reports nothing by volume: its reports are about all that it stores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.driver import RebuildState

CLEAN = frozenset(("active", "clean"))
"""The state of a placement group whose copies are all complete."""
BESIDE_CLEAN = frozenset(("scrubbing", "deep", "snaptrim", "snaptrim_wait", "wait", "laggy"))
"""The words that the state may have in addition: work that changes no copy, and reads that wait for an OSD to
answer."""
UNCOUNTED_SHARE = 0.1
"""The share of the unclean groups whose copies may be missing from the count, and so the error of a progress. A group
peers whenever it is done: while many are moved there is nearly always one."""
NEARFULL = 0.85
"""Ceph's own default of `nearfull_ratio`."""
_KIB = 1024


def parse(text: str, *, of: str) -> dict[str, Any]:
    """Return the JSON document that `ceph ... -f json` printed. Raises EnvironmentFailure for anything else."""
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise EnvironmentFailure(f"`{of}`: expected a JSON document, found {text.strip()[:200]!r}")
    return document


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Ceph's report on all placement groups. `missing`: copies of objects that lack or are not where they should be.

    `unclean`: the groups that are not clean, by state. `is_counted`: whether `missing` covers nearly all of them.
    Copies in groups that peer are not counted: while all groups peer it is absent. Copies in stale groups are as their
    OSD last reported them.
    """

    missing: int
    unclean: Mapping[str, int]
    is_counted: bool

    @property
    def whole(self) -> bool:
        """True if all copies are complete and in their places, as far as Ceph reports."""
        return not self.missing and not self.unclean

    @property
    def description(self) -> str:
        """The state in words."""
        groups = ", ".join(f"{count} {state}" for state, count in sorted(self.unclean.items())) or "none unclean"
        return f"{'' if self.is_counted else 'at least '}{self.missing} copies remaining, groups: {groups}"


def groups_of(pg_stat: Mapping[str, Any]) -> Groups:
    """Return the groups from the output of `ceph pg stat`. Raises EnvironmentFailure if it reports no group."""
    summary = pg_stat.get("pg_summary") or pg_stat
    states = {str(entry["name"]): int(entry["num"]) for entry in summary.get("num_pg_by_state") or []}
    if not states:
        raise EnvironmentFailure(
            f"`ceph pg stat`: expected placement groups by state, found {json.dumps(pg_stat)[:200]}"
        )
    unclean = {state: count for state, count in states.items() if not _clean(state)}
    # Ceph leaves out a count that is zero.
    missing = [max(0, int(summary.get(name) or 0)) for name in ("degraded_objects", "misplaced_objects")]
    return Groups(
        missing=sum(missing),
        unclean=unclean,
        is_counted=sum(num for state, num in unclean.items() if not _is_counted(state))
        <= UNCOUNTED_SHARE * sum(unclean.values()),
    )


def _is_counted(state: str) -> bool:
    words = state.split("+")
    return "active" in words and "stale" not in words


def _clean(state: str) -> bool:
    words = frozenset(state.split("+"))
    return words >= CLEAN and words - CLEAN <= BESIDE_CLEAN


def recovery_state(groups: Groups, *, groups_left: int, most: int, has_begun: bool) -> RebuildState:
    """Return the state of the recovery of the data on an OSD that was taken out.

    `groups_left`: the number of placement groups in which it still takes part, which matters once all are reported
    clean: before Ceph has noticed that it is out, they are, too. `most`: the most copies that were seen to lack so far;
    `has_begun`: whether a group was seen that was not clean.
    """
    if groups.whole and groups_left:
        description = f"all placement groups clean, and {groups_left} of them still on the OSD"
        return RebuildState(phase="rebuilding" if has_begun else "waiting", description=description)
    if groups.whole:
        return RebuildState(phase="whole", description="all placement groups clean, none on the OSD", progress=1.0)
    # No copy lacks of groups that are empty, or that have just been counted.
    is_known = groups.is_counted and groups.missing
    share = 1 - groups.missing / max(most, groups.missing) if is_known else None
    return RebuildState(phase="rebuilding", description=groups.description, progress=share)


def options_of(text: str, names: Sequence[str], *, of: str) -> dict[str, str]:
    """Return the options that an OSD runs with, from the output of `ceph config show-with-defaults`; options that it
    does not have are left out, because releases differ. Raises EnvironmentFailure for anything else."""
    try:
        values = {str(load["name"]): str(load["value"]) for load in json.loads(text)}
    except (ValueError, TypeError, KeyError):
        raise EnvironmentFailure(f"`{of}`: expected a list of options, found {text.strip()[:200]!r}") from None
    return {name: values[name] for name in names if name in values}


def stored_bytes(osd_df: Mapping[str, Any], osd: int) -> int:
    """Return the data (bytes) that the OSD holds, which the others copy when it is out.

    Raises EnvironmentFailure if there is no such OSD.
    """
    usage = _of_osd(osd_df, osd)
    return int(usage.get("kb_used_data") or usage.get("kb_used") or 0) * _KIB


def groups_on(osd_df: Mapping[str, Any], osd: int) -> int:
    """Return the number of placement groups in which the OSD takes part. Raises EnvironmentFailure if there is no such
    OSD."""
    return int(_of_osd(osd_df, osd).get("pgs") or 0)


def _of_osd(osd_df: Mapping[str, Any], osd: int) -> Mapping[str, Any]:
    nodes = osd_df.get("nodes") or []
    for node in nodes:
        if node.get("id") == osd:
            return dict(node)
    names = ", ".join(str(node.get("id")) for node in nodes)
    raise EnvironmentFailure(f"expected OSD {osd} of the target file, found only {names or 'none'}")


def require_room(osd_df: Mapping[str, Any], osd_dump: Mapping[str, Any], *, osd: int) -> None:
    """Require that the data of the OSD would not fill the others that are in beyond Ceph's own mark.

    Beyond `nearfull_ratio` a single OSD that gets more than its part is soon full, and then the whole cluster takes no
    writes of anyone: https://docs.ceph.com/en/latest/rados/operations/health-checks/#osd-nearfull. Raises
    EnvironmentFailure.
    """
    other_nodes = [node for node in osd_df.get("nodes") or [] if node.get("id") != osd and is_in(osd_dump, node["id"])]
    size = sum(int(node.get("kb") or 0) for node in other_nodes) * _KIB
    used_bytes = sum(int(node.get("kb_used") or 0) for node in other_nodes) * _KIB + stored_bytes(osd_df, osd)
    mark = float(osd_dump.get("nearfull_ratio") or NEARFULL)
    if not size or used_bytes / size > mark:
        room = f"that they would be {100 * used_bytes / size:.0f} % full" if size else "no other OSD that is in"
        raise EnvironmentFailure(
            f"expected room on the other OSDs for the data of osd.{osd}, found {room}; Ceph warns from "
            f"{100 * mark:g} % on (nearfull_ratio); free some space or add OSDs"
        )


def is_in(osd_dump: Mapping[str, Any], osd: int) -> bool:
    """Return whether data may be placed on the OSD. Raises EnvironmentFailure if there is no such OSD."""
    for entry in osd_dump.get("osds") or []:
        if entry.get("osd") == osd:
            return bool(entry.get("in"))
    raise EnvironmentFailure(f"expected OSD {osd} of the target file, found no OSD of that number")
