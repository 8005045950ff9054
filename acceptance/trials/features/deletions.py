"""Volumes that are deleted: next to volumes that hold data, and before their PVC is bound.

A driver that deletes more than it was asked to destroys the data of others (kubernetes-csi/csi-driver-nfs#855). One
that forgets a volume whose PVC was deleted during its creation leaks space (ceph/ceph-csi#4280).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from acceptance.cluster.claims import Claim, delete_claim, remove_claim, wait_volume_gone
from acceptance.cluster.objects import name_of
from acceptance.cluster.ownership import set_policy
from acceptance.cluster.pods import wait_placed
from acceptance.cluster.resources import CLAIMS, VOLUMES
from acceptance.cluster.volumes import volumes_of
from acceptance.cluster.waiting import WIDE_LOOK_S, wait_for
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.moves import READ, WRITE, not_their_own
from acceptance.trials.features.pool_growth import PoolGrowth

BATCHES = (1, 1, 1, 3)
"""Numbers of PVCs that are requested together, and then deleted: the more, the later the first of them is deleted."""
SETTLED_S = 20.0
"""How long no volume may appear: a provisioner that was creating one when its PVC was deleted creates its PV later."""
_USES = "while :; do sleep 1; done"


@Tries(
    "isolated-deletion",
    "The deletion of a volume leaves other volumes intact",
    (VolumeUse(number=4),),
    pods=6,
    recreations=1,
    waits_s=SETTLED_S,
)
def try_isolated_deletion(bench: Bench) -> str:
    """Verify that two volumes keep their data while two others are deleted, and return what was observed.

    Raises StorageFailure if one loses data, or if a deleted volume remains.
    """
    claims = {part: bench.claim(part) for part in ("first", "middle", "last")}
    originals = {claim.name: bench.run(claim, WRITE, MARK=new_mark()) for claim in claims.values()}
    middle, user = claims.pop("middle"), bench.start(claims["first"], _USES)
    new = bench.claim("new")
    delete_early(bench, [new])
    delete_with_volume(bench, middle)
    if bench.storage_class.reclaim_policy == "Delete":  # else the PV of the unfinished volume may stay
        wait_none_left(bench, [new])
    bench.end(user)
    texts = {claim.name: bench.run(claim, READ) for claim in claims.values()}
    nodes = dict.fromkeys(texts, str(bench.node))
    if wrong := not_their_own(texts, originals=originals, nodes=nodes):
        raise StorageFailure(
            f"after a volume of StorageClass {bench.storage_class.name} was deleted, and another one during its "
            f"creation, {len(wrong)} of {len(claims)} other volumes did not hold what was written to them: "
            f"{'; '.join(wrong)}"
        )
    return (
        "a volume was deleted, and another one during its creation; a volume in use and an unused one, created before "
        "and after the deleted one, kept their data"
    )


@Tries(
    "early-deletion",
    "PVCs that are deleted before they are bound leave nothing behind",
    (VolumeUse(number=max(BATCHES), total=1 + sum(BATCHES)),),
    pods=1 + sum(BATCHES),
    recreations=len(BATCHES),
    waits_s=2 * SETTLED_S,
)
def try_early_deletion(bench: Bench) -> str:
    """Verify that PVCs that are deleted right after their request leave no PV and no space, and return what was seen.

    Raises NotTried if the class retains its volumes, StorageFailure if a PV remains, or if the pool keeps their space.
    """
    policy = bench.storage_class.reclaim_policy
    if policy != "Delete":
        raise bench.not_tried(f"the reclaim policy of StorageClass {bench.storage_class.name} is {policy}")
    growth = None if bench.pool_used is None else PoolGrowth(bench.pool_used, timeout_s=bench.timeout_s)
    if growth is not None:
        growth.begin(settle_s=SETTLED_S)
        reference = bench.claim("reference")
        bench.run(reference, "true")
        growth.note_volume()
        delete_with_volume(bench, reference)
        growth.require_reclaimed("a volume that a pod had used")
    claims, bound = [], 0
    for number, size in enumerate(BATCHES, 1):
        batch = [bench.claim(f"early-{number}-{index + 1}") for index in range(size)]
        bound += delete_early(bench, batch)
        claims += batch
    wait_none_left(bench, claims)
    pool = "the used space of the pool is not known"
    if growth is not None:
        pool = growth.require_reclaimed(f"{len(claims)} volumes whose PVCs were deleted right after their request")
    if bound == len(claims):
        raise bench.not_tried(f"all {bound} PVCs were bound before the suite could delete them; no PV remains; {pool}")
    return (
        f"{len(claims)} PVCs were deleted right after their request, {len(claims) - bound} of them before they were "
        f"bound; no PV remains; {pool}"
    )


def delete_with_volume(bench: Bench, claim: Claim) -> None:
    """Delete the claim, and wait until its volume is deleted, too, also if the class retains volumes."""
    volume = bench.volume_of(claim)
    set_policy(bench.api, bench.api.get(VOLUMES, volume), "Delete")
    remove_claim(bench.api, claim, timeout_s=bench.timeout_s)
    wait_volume_gone(bench.api, volume, timeout_s=bench.timeout_s)


def delete_early(bench: Bench, claims: Sequence[Claim]) -> int:
    """Delete the claims while their volumes are created, unless the storage is faster; return how many were bound.

    If the class waits for a pod, each claim gets one, and is deleted once that is scheduled.
    """
    pods = []
    if bench.storage_class.waits_for_pod:
        pods = [bench.plan(claim, script="true") for claim in claims]
        for pod in pods:
            bench.ask_for(pod)
        for pod in pods:
            wait_placed(bench.api, pod, timeout_s=bench.timeout_s)
    bound = sum(is_bound(bench, claim) for claim in claims)
    for claim in claims:
        delete_claim(bench.api, claim)
    for pod in pods:  # a claim stays as long as a pod uses it
        bench.end(pod)
    for claim in claims:
        remove_claim(bench.api, claim, timeout_s=bench.timeout_s)
    return bound


def is_bound(bench: Bench, claim: Claim) -> bool:
    """Return whether the claim has its volume."""
    pvc = bench.api.find(CLAIMS, claim.name, namespace=claim.namespace) or {}
    return (pvc.get("status") or {}).get("phase") == "Bound"


def wait_none_left(bench: Bench, claims: Sequence[Claim]) -> None:
    """Wait until no volume of the deleted claims exists, and none has appeared for a while.

    Raises StorageFailure with the volumes that remain.
    """
    names = {claim.name for claim in claims}
    none_since: float | None = None
    searched_s, of_claims = -WIDE_LOOK_S, list[str]()

    def remaining() -> list[str]:
        nonlocal none_since, searched_s, of_claims
        now_s = time.monotonic()
        if now_s - searched_s >= WIDE_LOOK_S:
            volumes = volumes_of(bench.api, namespace=claims[0].namespace)
            of_claims = [name_of(volume) for volume in volumes if volume["spec"]["claimRef"]["name"] in names]
            searched_s, none_since = now_s, None if of_claims else none_since or now_s
        return of_claims

    wait_for(
        f"PVs of {len(claims)} deleted PVCs of StorageClass {bench.storage_class.name} to be deleted",
        look=remaining,
        ready=lambda volumes: none_since is not None and searched_s - none_since >= SETTLED_S,
        state=lambda volumes: ", ".join(volumes) or "none",
        timeout_s=bench.timeout_s + SETTLED_S + 2 * WIDE_LOOK_S,
    )
