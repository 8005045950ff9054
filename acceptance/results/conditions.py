"""The conditions of a run's verdicts: the texts of its loads and limits."""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen
from acceptance.results.requirement import Requirement
from acceptance.results.workloads import CarriedWorkload


class TierLimit(Frozen):
    """A limit of the tier. `limit`: in words."""

    profile: str
    limit: str
    requirement: Requirement | None = Field(default=None, description="None in results of older suites")

    @property
    def question(self) -> tuple[object, ...]:
        """The question of the limit; in words, as `question_in_words` returns it, for results of older suites."""
        return question_in_words(self.profile, self.limit) if self.requirement is None else self.requirement.question


def question_in_words(profile: str | None, limit: str) -> tuple[object, ...]:
    """Return the question of a limit that only its words distinguish from other limits."""
    return profile, limit


class CarriedPreset(Frozen):
    """The preset that chose tests and options of the run."""

    name: str
    digest: str = Field(description="SHA-256 of its file")


class Conditions(Frozen):
    """The loads and limits of the run: the texts themselves, because files of the same name may differ."""

    profiles: dict[str, str] = Field(description="the text of every load file in the folder, by file name")
    limits_file: str
    limits: list[TierLimit] = Field(description="the limits that `Results.tier_limits` counts, once for all classes")
    limits_digest: str = Field(default="", description="SHA-256 of the limits file; empty in results of older suites")
    limits_shipped: bool = Field(
        default=False,
        description="whether this version of the suite ships that file and the profiles that its limits are on",
    )
    required: list[str] = Field(
        default=[], description="tests that must pass before the tier passes: files, or tests in them"
    )
    workloads: list[CarriedWorkload] = Field(
        default=[], description="workloads that the class must carry; empty unless requested"
    )
    preset: CarriedPreset | None = Field(default=None, description="None if the user chose tests and options")


class CpuLatency(Frozen):
    """The outcome of keeping the host's CPUs awake while the suite ran; `reason`: why they were not kept awake."""

    held_low: bool
    reason: str | None = None
