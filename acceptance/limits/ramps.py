"""The rules for adding pods with a volume each, and for the end: `ramp` in the section `control_plane` of a tier."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from acceptance.limits.values import Entry, Rate, Sentence, Time


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
                f"expected a rate of at least one pod in {self.over_s:g} s, found less: every ramp reaches it"
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
