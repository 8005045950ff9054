"""Files of a volume that are deleted and trimmed: the pool must have their space again while the volume is still there.

No pod of the suite can trim by itself: the kernel allows FITRIM with CAP_SYS_ADMIN of its first user namespace alone
(`capable(CAP_SYS_ADMIN)` in fs/xfs/xfs_discard.c, fs/ext4/ioctl.c and fs/btrfs/ioctl.c of Linux). So file systems are
looked at that are mounted with `discard`, and those that a target's command trims.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import VOLUMES
from acceptance.results.filling import Finding
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.printed import wait_printed
from acceptance.trials.filling.space import KEPT_MOST, SHOWN_LEAST, UNKNOWN, Space, used_in_words

_MOUNTED = re.compile(r"^storage-acceptance: mounted (\S+)$", re.MULTILINE)
_REMOVED = re.compile(r"^storage-acceptance: removed (\d+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Removed:
    """What a pod said that removed all files. `options`: of the mount, with the file system's name before them."""

    options: tuple[str, ...]
    size: int


def read_removed(output: str) -> Removed:
    """What a pod removed, of what it printed; lines of others are passed over."""
    mounted, removed = _MOUNTED.search(output), _REMOVED.search(output)
    return Removed(options=tuple(mounted[1].split(",")) if mounted else (), size=int(removed[1]) if removed else 0)


def discards(options: Collection[str]) -> bool:
    """Whether a file system that is mounted so tells its device by itself what it no longer uses.

    Of btrfs the option is discard=async.
    """
    return any(option.partition("=")[0] == "discard" for option in options)


def try_trim(bench: Bench, claim: Claim, space: Space | None, *, script: str, **variables: str) -> Finding:
    """What became of the space of all files of a claim's volume, deleted by a pod with that script.

    Raises EnvironmentFailure where a command of the target fails, StorageFailure where the pod cannot start.
    """
    if space is None:
        return _finding("not_tried", UNKNOWN)
    if space.for_each_byte < SHOWN_LEAST:
        how = "the pool shows no more of a full volume than of an almost empty one: nothing of it can be given back"
        return _finding("not_tried", how)
    volume = bench.volume_of(claim)
    asked = discards(bench.api.get(VOLUMES, volume)["spec"].get("mountOptions") or [])
    before = space.used()
    pod = bench.start(claim, script, SECONDS_LEFT=str(int(2 * bench.timeout_s)), **variables)
    wait_printed(bench, pod, "removed", what="a pod to delete all files of the full volume")
    removed = read_removed(bench.output_of(pod))
    by = _trimmed_by(bench, space, asked=asked, removed=removed)
    if by is None:
        how = (
            f"nothing trims a volume of StorageClass {claim.storage_class}: its mountOptions have no discard, and the "
            "target file names no command (pool: trim:, docs/full-volumes.md)"
        )
        return _finding("not_tried", how)
    if space.trims:
        node = bench.node or ""
        space.trim({"volume": volume, "claim": claim.name, "namespace": claim.namespace, "node": node})
    found = _given_back(space, before=before, removed=removed, by=by, timeout_s=bench.timeout_s)
    bench.end(pod)
    return found


def _given_back(space: Space, *, before: int, removed: Removed, by: str, timeout_s: float) -> Finding:
    """Within `timeout_s`, all but KEPT_MOST of what those files took in the pool."""
    story = f"the pool had {used_in_words(before)}; {_bytes(removed.size)} of files were deleted, and trimmed by {by}"
    wanted = (1 - KEPT_MOST) * removed.size * space.for_each_byte
    try:
        after = space.falls(before, by=wanted)
    except StorageFailure:
        left = used_in_words(space.used())
        return _finding("failed", f"{story}; it had still {left} {timeout_s:.0f} s later, not {_bytes(wanted)} less")
    return _finding("held", f"{story}; then it had {used_in_words(after)}")


def _trimmed_by(bench: Bench, space: Space, *, asked: bool, removed: Removed) -> str | None:
    """In words; None where nothing does."""
    if space.trims:
        return "the target's command"
    mounted = ",".join(removed.options) or "nothing"
    if discards(removed.options):
        return f"the file system (mounted as {mounted})"
    if asked:
        name = bench.storage_class.name
        return f"nobody, although StorageClass {name} has the mount option discard (mounted as {mounted})"
    return None


def _finding(status: Literal["held", "failed", "not_tried"], how: str) -> Finding:
    return Finding(aspect="trim", status=status, how=how)


def _bytes(size: float) -> str:
    return format_quantity(size, unit="B")
