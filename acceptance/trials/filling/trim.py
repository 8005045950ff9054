"""Files of a volume that are deleted and trimmed: the pool must have their space again while the volume still exists.

No pod of the suite can trim by itself: the kernel allows FITRIM with CAP_SYS_ADMIN of its first user namespace alone
(`capable(CAP_SYS_ADMIN)` in fs/xfs/xfs_discard.c, fs/ext4/ioctl.c and fs/btrfs/ioctl.c of Linux). So the suite checks
file systems that are mounted with `discard`, and those that a target's command trims.
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

_MOUNT = re.compile(r"^storage-acceptance: mounted (\S+)$", re.MULTILINE)
_REMOVAL = re.compile(r"^storage-acceptance: removed (\d+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Removal:
    """The output of a pod that removed all files. `options`: of the mount, with the file system's name before them."""

    options: tuple[str, ...]
    size: int


def read_removal(output: str) -> Removal:
    """Return what a pod removed from its output; lines of other programs are ignored."""
    mount, removal = _MOUNT.search(output), _REMOVAL.search(output)
    return Removal(options=tuple(mount[1].split(",")) if mount else (), size=int(removal[1]) if removal else 0)


def discards(options: Collection[str]) -> bool:
    """Return whether a file system with these mount options reports unused blocks to its device by itself.

    The option of btrfs is discard=async.
    """
    return any(option.partition("=")[0] == "discard" for option in options)


def try_trim(bench: Bench, claim: Claim, space: Space | None, *, script: str, **variables: str) -> Finding:
    """Delete all files of a claim's volume by a pod with that script; return what became of their space.

    Raises EnvironmentFailure if a command of the target fails, StorageFailure if the pod cannot start.
    """
    if space is None:
        return _finding("not_tried", UNKNOWN)
    if space.for_each_byte < SHOWN_LEAST:
        how = "an almost empty volume takes as much of the pool as a full one: a trim cannot free any space"
        return _finding("not_tried", how)
    volume = bench.volume_of(claim)
    wants_discard = discards(bench.api.get(VOLUMES, volume)["spec"].get("mountOptions") or [])
    before = space.used_bytes()
    pod = bench.start(claim, script, SECONDS_LEFT=str(int(2 * bench.timeout_s)), **variables)
    wait_printed(bench, pod, "removed", goal="a pod to delete all files of the full volume")
    removal = read_removal(bench.output_of(pod))
    by = _trimmed_by(bench, space, wants_discard=wants_discard, removal=removal)
    if by is None:
        how = (
            f"nothing trims a volume of StorageClass {claim.storage_class}: its mountOptions have no discard, and the "
            "target file names no command (pool: trim:, docs/full-volumes.md)"
        )
        return _finding("not_tried", how)
    if space.trims:
        node = bench.node or ""
        space.trim({"volume": volume, "claim": claim.name, "namespace": claim.namespace, "node": node})
    finding = _given_back(space, before=before, removal=removal, by=by, timeout_s=bench.timeout_s)
    bench.end(pod)
    return finding


def _given_back(space: Space, *, before: int, removal: Removal, by: str, timeout_s: float) -> Finding:
    """Wait until the pool has all but KEPT_MOST of the space of those files again, within `timeout_s`; return the
    finding."""
    story = f"the pool had {used_in_words(before)}; {_bytes(removal.size)} of files were deleted and {by}"
    minimum = (1 - KEPT_MOST) * removal.size * space.for_each_byte
    try:
        after = space.falls(before, by=minimum)
    except StorageFailure:
        rest = used_in_words(space.used_bytes())
        how = f"{story}; {timeout_s:.0f} s later the pool still had {rest}, expected at least {_bytes(minimum)} less"
        return _finding("failed", how)
    return _finding("held", f"{story}; then the pool had {used_in_words(after)}")


def _trimmed_by(bench: Bench, space: Space, *, wants_discard: bool, removal: Removal) -> str | None:
    """Return in words what has trimmed the volume; None if nothing is to do so."""
    if space.trims:
        return "trimmed by the target's command"
    options = ",".join(removal.options) or "nothing"
    if discards(removal.options):
        return f"trimmed by the file system (mounted as {options})"
    if wants_discard:
        name = bench.storage_class.name
        return f"not trimmed, although StorageClass {name} has the mount option discard (mounted as {options})"
    return None


def _finding(status: Literal["held", "failed", "not_tried"], how: str) -> Finding:
    return Finding(aspect="trim", status=status, how=how)


def _bytes(size: float) -> str:
    return format_quantity(size, unit="B")
