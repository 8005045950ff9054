"""A plan: the steps of a run, what each creates, how long it takes; and what of it there is at one time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Lasts = Literal["step", "file", "run"]
"""How long volumes are there: for their step, until all tests of their file are over, until the run is."""


@dataclass(frozen=True, kw_only=True)
class Volumes:
    """Volumes that a step creates; `size` of each, in bytes. For a host they are files in its directories."""

    storage_class: str
    number: int
    size: int
    lasts: Lasts = "step"


@dataclass(frozen=True, kw_only=True)
class PlannedStep:
    """One thing that the run does, once for all tests that ask for it. Times in s.

    `about_s`: when verdicts are clear; `longer_s`: how much longer when they stay open until the suite ends the
    measurement. `payer`: the test during which it is done, the first that asks; `tests`: how many ask.
    """

    what: str
    about_s: float
    longer_s: float = 0.0
    volumes: tuple[Volumes, ...] = ()
    pods: int = 0
    sets: int = 0
    payer: str = ""
    tests: int = 1
    destructive: bool = False

    @property
    def most_s(self) -> float:
        """How long it takes at the most."""
        return self.about_s + self.longer_s

    @property
    def file(self) -> str:
        """The file of tests that it belongs to."""
        return self.payer.partition("::")[0]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All steps in the order of the tests. `skips`: reason and how many tests; `unknown`: tests of others."""

    steps: tuple[PlannedStep, ...]
    skips: tuple[tuple[str, int], ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def about_s(self) -> float:
        """How long it takes when verdicts are clear."""
        return sum(step.about_s for step in self.steps)

    @property
    def most_s(self) -> float:
        """How long it takes when none is clear before its measurement's end."""
        return sum(step.most_s for step in self.steps)

    @property
    def most_storage(self) -> int:
        """Bytes that are claimed at one time, at the most."""
        return max((sum(each.number * each.size for each in there) for there in self._there()), default=0)

    @property
    def most_volumes(self) -> int:
        """Volumes that are there at one time, at the most."""
        return max((sum(each.number for each in there) for there in self._there()), default=0)

    def _there(self) -> list[Sequence[Volumes]]:
        """The volumes that are there during each step."""
        found: list[Sequence[Volumes]] = []
        kept: list[tuple[str, Volumes]] = []
        for step in self.steps:
            kept = [(file, each) for file, each in kept if each.lasts == "run" or file == step.file]
            found.append([*(each for _, each in kept), *step.volumes])
            kept += [(step.file, each) for each in step.volumes if each.lasts != "step"]
        return found
