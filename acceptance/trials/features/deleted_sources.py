"""Deletion of a PVC together with its PV, while copies of the volume exist."""

from __future__ import annotations

from acceptance.cluster.claims import Claim, remove_claim
from acceptance.cluster.events import recent_events, warnings_about
from acceptance.cluster.ownership import set_policy
from acceptance.cluster.refusals import refuses_because_of_copies
from acceptance.cluster.resources import VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import Unsupported
from acceptance.trials.features.bench import Bench


def delete_with_volume(bench: Bench, claim: Claim) -> None:
    """Delete the PVC, and wait until its PV no longer exists, also if its class retains PVs.

    Raises Unsupported if the driver refuses to delete a volume that has copies, as the CSI specification allows;
    StorageFailure if the PVC or the PV remains.
    """
    volume = bench.volume_of(claim)  # proven to be the run's own
    set_policy(bench.api, bench.api.get(VOLUMES, volume), "Delete")
    remove_claim(bench.api, claim, timeout_s=bench.timeout_s)
    wait_for(
        f"PV {volume} of PVC {claim.name} to be deleted while copies of it exist (StorageClass {claim.storage_class})",
        look=lambda: bench.api.find(VOLUMES, volume),
        ready=lambda pv: pv is None,
        state=lambda pv: "deleted" if pv is None else f"phase {pv['status'].get('phase', 'unknown')}",
        fatal=lambda pv: _refusal(bench, volume, pv),
        events=lambda: recent_events(bench.api, namespace="default", name=volume),
        timeout_s=bench.timeout_s,
    )


def _refusal(bench: Bench, volume: str, pv: Object | None) -> Unsupported | None:
    """Return the error for a driver that deletes no volume with copies, from the events of the PV; None otherwise."""
    if pv is None:
        return None
    names = [volume, str(((pv.get("spec") or {}).get("csi") or {}).get("volumeHandle", ""))]
    for warning in warnings_about(bench.api, namespace="default", name=volume, reason="VolumeFailedDelete"):
        if refuses_because_of_copies(warning.message, names=names):
            return bench.missing(
                f"the driver of StorageClass {bench.storage_class.name} deletes no volume that has copies: "
                f"{warning.line}"
            )
    return None
