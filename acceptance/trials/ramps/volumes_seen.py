"""The claims, volumes and attachments of a ramp that exist, so that it can be reported when all are deleted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import Object
from acceptance.cluster.stateful_sets import CLAIM_TEMPLATE
from acceptance.cluster.watching import Change


class VolumesSeen:
    """Fed with what watches show. `by_name`: the ramp's volumes, as far as the suite checks them.

    Attachments name only their volume, and may be seen before its owner is known. Attachments from before the ramp do
    not belong to it: until `only_old_ones_so_far` is cleared, attachments are not kept.
    """

    def __init__(self, *, namespace: str, sets: Sequence[str]) -> None:
        self.claims: set[str] = set()
        self.by_name: dict[str, Object] = {}
        self.only_old_ones_so_far = True
        self._namespace = namespace
        self._sets = frozenset(sets)
        self._to_go: set[str] = set()
        self._attached_pvs: set[str] = set()

    def is_ours(self, claim: str) -> bool:
        """Return whether Kubernetes created the claim for one of the ramp's pods."""
        template, _, pod = claim.partition(f"{CLAIM_TEMPLATE}-")
        return not template and pod.rpartition("-")[0] in self._sets

    def claim_seen(self, name: str) -> None:
        """Note that a claim of the ramp exists."""
        self.claims.add(name)

    def claim_gone(self, name: str) -> None:
        """Note that a claim no longer exists."""
        self.claims.discard(name)

    def take(self, change: Change) -> str | None:
        """Take a change of a volume of the cluster; return the claim of the volume, None if the claim does not belong
        to the ramp."""
        claim = change.item["spec"]["claimRef"] or {}
        if claim.get("namespace") != self._namespace or not self.is_ours(claim.get("name") or ""):
            return None
        name = change.name
        self.by_name[name] = change.item
        # A volume that its class retains stays, as it should.
        if change.kind == "deleted" or change.item["spec"]["persistentVolumeReclaimPolicy"] != "Delete":
            self._to_go.discard(name)
        else:
            self._to_go.add(name)
        return str(claim["name"])

    def retained_volumes(self, claims: Collection[str]) -> list[Object]:
        """Return the volumes of these claims that stay when their claims are deleted."""
        of_claims = (volume for volume in self.by_name.values() if volume["spec"]["claimRef"]["name"] in claims)
        return [volume for volume in of_claims if name_of(volume) not in self._to_go]

    def take_attachment(self, volume: str, *, is_deleted: bool) -> None:
        """Take a change of an attachment of a volume of the cluster."""
        if is_deleted:
            self._attached_pvs.discard(volume)
        elif not self.only_old_ones_so_far:
            self._attached_pvs.add(volume)

    @property
    def remaining(self) -> int:
        """The number of objects that exist."""
        return len(self.claims) + len(self._to_go) + len(self._attached_pvs & self.by_name.keys())

    @property
    def remaining_names(self) -> list[str]:
        """The objects that exist, by name."""
        names = [f"PVC {name}" for name in sorted(self.claims)]
        names += [f"PV {name}" for name in sorted(self._to_go)]
        return names + [f"VolumeAttachment of PV {name}" for name in sorted(self._attached_pvs & self.by_name.keys())]
