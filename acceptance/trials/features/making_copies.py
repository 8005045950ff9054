"""A volume with data, and a copy of it: a restored snapshot or a clone, as the caller requests."""

from __future__ import annotations

from typing import Literal

from acceptance.cluster.claims import AccessMode, Claim
from acceptance.cluster.snapshots import wait_taken
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.clones import ask_for_clone, require_clones
from acceptance.trials.features.snapshots import ask_for_snapshot, restore, snapshot_class_for

Copy = Literal["restored snapshot", "clone"]


def written_source(bench: Bench, copy: Copy, script: str, mark: str) -> tuple[Claim, str]:
    """Return a volume to be copied, on which a pod has run the script with $MARK, and the output of that pod.

    Raises Unsupported if the class is known to have no such copies.
    """
    if copy == "restored snapshot":
        snapshot_class_for(bench)
    source = bench.claim("source")
    output = bench.run(source, script, MARK=mark)
    if copy == "clone":
        require_clones(bench, source)
    return source, output


def copy_of(bench: Bench, source: Claim, copy: Copy, *, size: int = SIZE, access: AccessMode | None = None) -> Claim:
    """Request a copy of a volume, of at least `size` bytes. Raises StorageFailure if a snapshot is never ready."""
    if copy == "clone":
        return ask_for_clone(bench, source, size=size, access=access)
    snapshot = ask_for_snapshot(bench, source, snapshot_class=snapshot_class_for(bench))
    ready_snapshot = wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
    return restore(bench, snapshot, ready_snapshot, size=size, access=access)
