"""Which claims, volumes and attachments of a ramp are there, so that it can be told when all are gone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import Object
from acceptance.cluster.stateful_sets import CLAIM_TEMPLATE
from acceptance.cluster.watching import Change


class VolumesSeen:
    """Told of what watches show. `by_name`: the ramp's volumes, as far as the suite looks at them.

    Attachments name only their volume, and may be seen before it is known whose that is. Those that there were before
    the ramp are none of its: until `only_old_ones_so_far` is cleared, attachments are not kept.
    """

    def __init__(self, *, namespace: str, sets: Sequence[str]) -> None:
        self.claims: set[str] = set()
        self.by_name: dict[str, Object] = {}
        self.only_old_ones_so_far = True
        self._namespace = namespace
        self._sets = frozenset(sets)
        self._to_go: set[str] = set()
        self._attached: set[str] = set()

    def is_ours(self, claim: str) -> bool:
        """Whether Kubernetes made the claim for one of the ramp's pods."""
        template, _, pod = claim.partition(f"{CLAIM_TEMPLATE}-")
        return not template and pod.rpartition("-")[0] in self._sets

    def claim_seen(self, name: str) -> None:
        """A claim of the ramp is there."""
        self.claims.add(name)

    def claim_gone(self, name: str) -> None:
        """A claim is no more."""
        self.claims.discard(name)

    def take(self, change: Change) -> str | None:
        """A volume of the cluster changed; the claim that it is of, None where that is not the ramp's."""
        claim = change.seen["spec"]["claimRef"] or {}
        if claim.get("namespace") != self._namespace or not self.is_ours(claim.get("name") or ""):
            return None
        name = change.name
        self.by_name[name] = change.seen
        # One that its class retains stays, as it should.
        if change.kind == "deleted" or change.seen["spec"]["persistentVolumeReclaimPolicy"] != "Delete":
            self._to_go.discard(name)
        else:
            self._to_go.add(name)
        return str(claim["name"])

    def retained(self, claims: Collection[str]) -> list[Object]:
        """The volumes of these claims that stay when their claims go."""
        of_claims = (each for each in self.by_name.values() if each["spec"]["claimRef"]["name"] in claims)
        return [claim for claim in of_claims if name_of(claim) not in self._to_go]

    def take_attachment(self, volume: str, *, gone: bool) -> None:
        """An attachment of a volume of the cluster changed."""
        if gone:
            self._attached.discard(volume)
        elif not self.only_old_ones_so_far:
            self._attached.add(volume)

    @property
    def remaining(self) -> int:
        """How many objects are there."""
        return len(self.claims) + len(self._to_go) + len(self._attached & self.by_name.keys())

    @property
    def left(self) -> list[str]:
        """What is there, by name."""
        found = [f"PVC {name}" for name in sorted(self.claims)]
        found += [f"PV {name}" for name in sorted(self._to_go)]
        return found + [f"VolumeAttachment of PV {name}" for name in sorted(self._attached & self.by_name.keys())]
