"""What the control plane must bear: the section `control_plane` of a tier, as pydantic models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from acceptance.limits.values import Entry, Rate, Sentence, Time, TimeLimit
from acceptance.text.quantities import format_quantity

PROFILE = "control-plane"
"""Under this name verdicts on ramps stand where others have the profile that was run."""

Metric = Literal["pods", "ramp-down"]


@dataclass(frozen=True, kw_only=True)
class ControlPlaneLimit:
    """One requirement. `pods`: how many must run, a volume each; `ramp-down`: `RampDownRecord.cleanup_s`, in s."""

    metric: Metric
    value: float
    because: str

    @property
    def profile(self) -> str:
        """No profile is run."""
        return PROFILE

    @property
    def kind(self) -> Literal["at_least", "at_most"]:
        """On which side of `value` what is measured must be."""
        return "at_least" if self.metric == "pods" else "at_most"

    @property
    def unit(self) -> Literal["pods", "s"]:
        """Of `value`."""
        return "pods" if self.metric == "pods" else "s"

    def describe(self) -> str:
        """`at least 60 pods with a volume each`"""
        amount = format_quantity(self.value, unit=self.unit)
        if self.metric == "pods":
            return f"at least {amount} with a volume each"
        return f"PVCs and PVs deleted at most {amount} after the last pod was told to end"


class SlowStarts(Entry):
    """More than this number of pods take longer than this time (s) from creation to running."""

    longer_than_s: Time = Field(alias="longer_than")
    more_than: int = Field(ge=0)
    because: Sentence


class RunningRate(Entry):
    """Fewer than this number of pods start in a second, over this time (s)."""

    below_per_s: Rate = Field(alias="below")
    over_s: Time = Field(default=60.0, alias="over")
    because: Sentence

    @model_validator(mode="after")
    def _counts_pods(self) -> Self:
        if self.below_per_s * self.over_s < 1:
            raise ValueError(
                f"wanted a rate of at least one pod in {self.over_s:g} s, found less: every ramp reaches it"
            )
        return self


class Crashes(Entry):
    """More than this number of pods crash, or of containers restart."""

    more_than: int = Field(ge=0)
    because: Sentence


class StopWhen(Entry):
    """What ends a ramp; a condition that is None does not end it."""

    slow_starts: SlowStarts | None = None
    running_rate: RunningRate | None = None
    crashes: Crashes | None = None

    some_of: ClassVar[tuple[str, ...]] = ("slow_starts", "running_rate", "crashes")


class RampRules(Entry):
    """How many pods the suite requests in a second, and what ends the ramp."""

    rate_per_s: Rate = Field(alias="rate")
    stop_when: StopWhen


class _Pods(Entry):
    at_least: int = Field(ge=1)
    because: Sentence


class ControlPlaneEntry(Entry):
    """The section of one tier. It inherits what it leaves out from the tier that it extends; `ramp` only as a whole."""

    ramp: RampRules | None = None
    pods: _Pods | None = None
    ramp_down: TimeLimit | None = None

    some_of: ClassVar[tuple[str, ...]] = ("ramp", "pods", "ramp_down")

    def limits(self) -> Iterator[ControlPlaneLimit]:
        """As plain limits, in the order of the section."""
        if self.pods is not None:
            yield ControlPlaneLimit(metric="pods", value=self.pods.at_least, because=self.pods.because)
        if (down := self.ramp_down) is not None:
            yield ControlPlaneLimit(metric="ramp-down", value=down.at_most, because=down.because)
