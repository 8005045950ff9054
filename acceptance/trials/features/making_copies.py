"""A volume with something on it, and a copy of it: a restored snapshot or a clone, whichever is asked for."""

from __future__ import annotations

from typing import Literal

from acceptance.cluster.claims import AccessMode, Claim
from acceptance.cluster.snapshots import wait_taken
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.clones import ask_for_clone, require_clones
from acceptance.trials.features.snapshots import ask_for_snapshot, restore, snapshot_class_for

Copy = Literal["restored snapshot", "clone"]


def written_source(bench: Bench, copy: Copy, script: str, mark: str) -> tuple[Claim, str]:
    """A volume that a pod has run the script on with $MARK, which is to be copied, and what that printed.

    Raises Unsupported where the class is known to have no such copies.
    """
    if copy == "restored snapshot":
        snapshot_class_for(bench)
    source = bench.claim("source")
    printed = bench.run(source, script, MARK=mark)
    if copy == "clone":
        require_clones(bench, source)
    return source, printed


def copy_of(
    bench: Bench, source: Claim, copy: Copy, *, size: int = SIZE, access: AccessMode = "ReadWriteOnce"
) -> Claim:
    """Ask for a copy of a volume, of `size` bytes at least. Raises StorageFailure where a snapshot is never ready."""
    if copy == "clone":
        return ask_for_clone(bench, source, size=size, access=access)
    snapshot = ask_for_snapshot(bench, source, snapshot_class=snapshot_class_for(bench))
    taken = wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
    return restore(bench, snapshot, taken, size=size, access=access)
