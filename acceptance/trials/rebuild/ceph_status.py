"""What Ceph's `pg stat`, `osd df` and `osd dump` say, as JSON, of a recovery. Pure: nothing is asked of a cluster here.

Ceph tells nothing by volume: what it says here is of all that it stores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.driver import RebuildState

CLEAN = frozenset(("active", "clean"))
"""what the state of a placement group has whose copies are all whole"""
BESIDE_CLEAN = frozenset(("scrubbing", "deep", "snaptrim", "snaptrim_wait", "wait", "laggy"))
"""what it may have beside that: work that changes no copy, and reads that wait for an OSD to answer"""
UNCOUNTED = 0.1
"""The share of the unclean groups whose copies may be missing from the count, and so the error of a progress. A group
peers whenever it is done: while many are moved there is nearly always one."""
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


@dataclass(frozen=True, kw_only=True)
class Groups:
    """What Ceph tells of all placement groups. `missing`: copies of objects that lack or are not where they should be.

    `unclean`: the groups that are not clean, by state. `counted`: whether `missing` is of nearly all of them. Copies in
    groups that peer are not counted: while all do it is absent. Those of stale ones are as their OSD told them last.
    """

    missing: int
    unclean: Mapping[str, int]
    counted: bool

    @property
    def whole(self) -> bool:
        """Whether all copies are whole and in their places, as far as it is told."""
        return not self.missing and not self.unclean

    @property
    def described(self) -> str:
        """The same in words."""
        groups = ", ".join(f"{count} {state}" for state, count in sorted(self.unclean.items())) or "none unclean"
        return f"{self.missing} copies to go{'' if self.counted else ' or more'}, groups: {groups}"


def groups_of(pg_stat: Mapping[str, Any]) -> Groups:
    """What `ceph pg stat` says. Raises EnvironmentFailure where it says nothing of any group."""
    summary = pg_stat.get("pg_summary") or pg_stat
    states = {str(each["name"]): int(each["num"]) for each in summary.get("num_pg_by_state") or []}
    if not states:
        raise EnvironmentFailure(f"`ceph pg stat`: wanted placement groups by state, found {json.dumps(pg_stat)[:200]}")
    unclean = {state: count for state, count in states.items() if not _clean(state)}
    # A count that is zero is left out.
    missing = [max(0, int(summary.get(name) or 0)) for name in ("degraded_objects", "misplaced_objects")]
    return Groups(
        missing=sum(missing),
        unclean=unclean,
        counted=sum(num for state, num in unclean.items() if not _counted(state)) <= UNCOUNTED * sum(unclean.values()),
    )


def _counted(state: str) -> bool:
    words = state.split("+")
    return "active" in words and "stale" not in words


def _clean(state: str) -> bool:
    words = frozenset(state.split("+"))
    return words >= CLEAN and words - CLEAN <= BESIDE_CLEAN


def recovery_state(groups: Groups, *, held: int, most: int, begun: bool) -> RebuildState:
    """How far the recovery is of what an OSD stored that was taken out.

    `held`: in how many placement groups it still takes part, which matters once all are told to be clean: before Ceph
    has noticed that it is out they are, too. `most`: the most copies that were seen to lack so far; `begun`: whether a
    group was seen that was not clean.
    """
    if groups.whole and held:
        description = f"all placement groups clean, and {held} of them still on the OSD"
        return RebuildState(phase="rebuilding" if begun else "waiting", description=description)
    if groups.whole:
        return RebuildState(phase="whole", description="all placement groups clean, none on the OSD", progress=1.0)
    # No copy lacks of groups that are empty, or that have just been counted.
    known = groups.counted and groups.missing
    share = 1 - groups.missing / max(most, groups.missing) if known else None
    return RebuildState(phase="rebuilding", description=groups.described, progress=share)


def options_of(text: str, names: Sequence[str], *, of: str) -> dict[str, str]:
    """The options that an OSD runs with, of what `ceph config show-with-defaults` printed; those that it has not are
    left out, for releases differ. Raises EnvironmentFailure for anything else."""
    try:
        values = {str(load["name"]): str(load["value"]) for load in json.loads(text)}
    except (ValueError, TypeError, KeyError):
        raise EnvironmentFailure(f"`{of}`: wanted a list of options, found {text.strip()[:200]!r}") from None
    return {name: values[name] for name in names if name in values}


def stored_bytes(osd_df: Mapping[str, Any], osd: int) -> int:
    """The data (bytes) that the OSD holds, which is what the others copy when it is out.

    Raises EnvironmentFailure where there is no such OSD.
    """
    found = _of_osd(osd_df, osd)
    return int(found.get("kb_used_data") or found.get("kb_used") or 0) * _KIB


def groups_on(osd_df: Mapping[str, Any], osd: int) -> int:
    """In how many placement groups the OSD takes part. Raises EnvironmentFailure where there is no such OSD."""
    return int(_of_osd(osd_df, osd).get("pgs") or 0)


def _of_osd(osd_df: Mapping[str, Any], osd: int) -> Mapping[str, Any]:
    nodes = osd_df.get("nodes") or []
    for node in nodes:
        if node.get("id") == osd:
            return dict(node)
    known = ", ".join(str(node.get("id")) for node in nodes)
    raise EnvironmentFailure(f"wanted OSD {osd} of the target file, found only {known or 'none'}")


def require_room(osd_df: Mapping[str, Any], osd_dump: Mapping[str, Any], *, osd: int) -> None:
    """See that what the OSD holds would not fill the others that are in, beyond Ceph's own mark.

    Beyond `nearfull_ratio` a single OSD that gets more than its part soon is full, and then the whole cluster takes no
    writes, whoever's: https://docs.ceph.com/en/latest/rados/operations/health-checks/#osd-nearfull. Raises
    EnvironmentFailure.
    """
    others = [node for node in osd_df.get("nodes") or [] if node.get("id") != osd and is_in(osd_dump, node["id"])]
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
