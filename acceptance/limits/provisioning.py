"""How soon volumes must come: the section `provisioning` of a tier, as pydantic models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import model_validator

from acceptance.limits.values import Entry, TimeLimit
from acceptance.text.quantities import format_quantity

PROFILE = "volume"
"""Under this name verdicts on the life of a volume stand where others have the profile that was run."""

Kind = Literal["bind_time"]


@dataclass(frozen=True, kw_only=True)
class ProvisioningLimit:
    """One requirement. `bind_time`: from when a volume is asked for, a pod waiting for it, to when its claim is bound.

    `at_most` in s. `tier` is the tier that it was written in.
    """

    kind: Kind
    at_most: float
    because: str
    tier: str

    @property
    def profile(self) -> str:
        """No profile is run."""
        return PROFILE

    @property
    def metric(self) -> str:
        """What stands in a verdict where others have the path of a metric."""
        return f"provisioning.{self.kind}"

    @property
    def wanted(self) -> str:
        """`at most 60 s`"""
        return f"at most {format_quantity(self.at_most, unit='s')}"

    def describe(self) -> str:
        """`claim bound at most 60 s after it was asked for`"""
        return f"PVC bound {self.wanted} after its creation"


class ProvisioningEntry(Entry):
    """`bind_time: {at_most: 60s, because: ...}`"""

    bind_time: TimeLimit | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.bind_time is None:
            raise ValueError("wanted bind_time, found nothing")
        return self


def inherited(entries: Iterable[tuple[str, ProvisioningEntry | None]]) -> tuple[ProvisioningLimit, ...]:
    """The limits of a tier from the sections of its ancestors and itself, each with the tier's name, oldest first."""
    found: dict[Kind, ProvisioningLimit] = {}
    for tier, entry in entries:
        if entry is not None and (bind := entry.bind_time) is not None:
            found["bind_time"] = ProvisioningLimit(
                kind="bind_time", at_most=bind.at_most, because=bind.because, tier=tier
            )
    return tuple(found.values())
