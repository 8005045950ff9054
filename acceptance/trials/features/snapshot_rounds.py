"""Snapshots that are taken and deleted repeatedly while the volume is used: nothing of them may remain."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.snapshots import contents_behind, delete_snapshots, wait_taken
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.snapshots import ask_for_snapshot, snapshot_class_for

ROUNDS = 4
AT_ONCE = 2
_WRITE = 'while echo written >> "$VOLUME/log" && sync "$VOLUME/log"; do echo written; sleep 0.5; done'


@Tries(
    "snapshot-rounds",
    "Snapshots are taken and deleted again and again",
    (VolumeUse(beside=AT_ONCE * SIZE),),
    needs="snapshot",
    snapshots=ROUNDS * AT_ONCE,
)
def try_snapshot_rounds(bench: Bench) -> str:
    """Verify that repeated snapshots leave nothing behind, and return what was observed.

    Raises Unsupported if there are no snapshots, StorageFailure if a snapshot is not ready in some round, if one
    remains, or if the volume takes no more writes.
    """
    snapshot_class = snapshot_class_for(bench)
    claim = bench.claim("source")
    pod = bench.start(claim, _WRITE)
    for number in range(1, ROUNDS + 1):
        try:
            _round(bench, claim, number, snapshot_class=snapshot_class)
        except StorageFailure as error:
            raise StorageFailure(
                f"in round {number} of {ROUNDS} ({AT_ONCE} snapshots of one volume taken and deleted in each): {error}"
            ) from error
    if remaining := contents_behind(bench.api, claim):
        raise StorageFailure(
            f"{ROUNDS * AT_ONCE} snapshots of a volume of StorageClass {claim.storage_class} were taken and deleted, "
            f"but the cluster still has VolumeSnapshotContents of it: {', '.join(remaining)}"
        )
    _require_writes(bench, pod, claim)
    return (
        f"{AT_ONCE} snapshots of a volume in use were taken, and deleted with their contents, {ROUNDS} times; its pod "
        "kept writing"
    )


def _round(bench: Bench, claim: Claim, number: int, *, snapshot_class: str) -> None:
    snapshots = [
        ask_for_snapshot(bench, claim, snapshot_class=snapshot_class, part=f"snapshot-{number}-{index + 1}")
        for index in range(AT_ONCE)
    ]
    for snapshot in snapshots:
        wait_taken(bench.api, snapshot, timeout_s=bench.timeout_s)
    delete_snapshots(bench.api, snapshots, timeout_s=bench.timeout_s)


def _require_writes(bench: Bench, pod: PodPlan, claim: Claim) -> None:
    """Wait until the pod has written once more."""
    before = bench.output_of(pod).count("written")
    wait_for(
        f"the pod on PVC {claim.name} (StorageClass {claim.storage_class}) to continue writing after the last snapshot "
        "was deleted",
        look=lambda: bench.output_of(pod).count("written"),
        ready=lambda count: count > before,
        state=lambda count: f"{count} writes, none of them after the deletion",
        timeout_s=bench.timeout_s,
    )
