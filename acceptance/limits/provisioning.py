"""How soon volumes must come: the section `provisioning` of a tier."""

from __future__ import annotations

from typing import ClassVar, Literal

from acceptance.limits.values import Entry, TimeLimit

PROFILE = "volume"
"""Under this name verdicts on the life of a volume stand where others have the profile that was run."""

Kind = Literal["bind_time"]


class ProvisioningLimit(TimeLimit):
    """The longest time (s) allowed from the creation of a PVC, for which a pod waits, until it is bound."""

    profile: ClassVar[str] = PROFILE
    metric: ClassVar[str] = "provisioning.bind_time"
    kind: ClassVar[Kind] = "bind_time"

    def describe(self) -> str:
        """`PVC bound at most 60 s after its creation`"""
        return f"PVC bound {self.wanted} after its creation"


class ProvisioningEntry(Entry):
    """`bind_time: {at_most: 60s, because: ...}`"""

    bind_time: ProvisioningLimit | None = None
    some_of: ClassVar[tuple[str, ...]] = ("bind_time",)
