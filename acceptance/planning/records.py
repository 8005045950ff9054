"""A plan: the steps of a run, what each creates, how long it takes; and what of it there is at one time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal

Lasts = Literal["step", "file", "run"]
"""How long volumes are there: for their step, until all tests of their file are over, until the run is."""


@dataclass(frozen=True, kw_only=True)
class Volumes:
    """Volumes that a step creates; `size` of each, in bytes. For a host they are files in its directories.

    `number`: how many there are at one time; `made`: in all, where some go before others come (0: no more than that).
    `beside`: bytes that the storage keeps for them at most beside their own size: a snapshot, a further replica.
    `evenly`: no node has more of them than it must, as many go to each.
    """

    storage_class: str
    number: int
    size: int
    lasts: Lasts = "step"
    made: int = 0
    beside: int = 0
    evenly: bool = False

    @property
    def storage(self) -> int:
        """Bytes that they take at the most, where all of each is written."""
        return self.number * self.size + self.beside

    def kept(self) -> Volumes:
        """The same where none goes before the run is over: all that are made, on whatever nodes they were."""
        return replace(self, number=max(self.number, self.made), lasts="run", evenly=False)


@dataclass(frozen=True, kw_only=True)
class PlannedStep:
    """One thing that the run does, once for all tests that ask for it. Times in s.

    `about_s`: when verdicts are clear; `longer_s`: how much longer when they stay open until the suite ends the
    measurement; `goes_on_s`: how much of that comes after a minute of load (`--storage-load longest`). `payer`: the
    test during which it is done, the first that asks; `tests`: how many ask.
    """

    what: str
    about_s: float
    longer_s: float = 0.0
    goes_on_s: float = 0.0
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
class Peak:
    """The most that there is of something at one time, and the step during which there is so much."""

    amount: int
    step: PlannedStep | None


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
    def goes_on_s(self) -> float:
        """How much of that comes after a minute of each load."""
        return sum(step.goes_on_s for step in self.steps)

    @property
    def most_storage(self) -> int:
        """Bytes that are claimed at one time, at the most."""
        return self.most(lambda volumes: volumes.storage).amount

    @property
    def most_volumes(self) -> int:
        """Volumes that are there at one time, at the most."""
        return self.most(lambda volumes: volumes.number).amount

    @property
    def storage_classes(self) -> tuple[str, ...]:
        """The classes that volumes are claimed of, each once, in their order."""
        return tuple(dict.fromkeys(volume.storage_class for step in self.steps for volume in step.volumes))

    def keeping(self, storage_classes: Collection[str]) -> Plan:
        """The same where no volume of these classes goes before the run is over."""

        def kept(volumes: Volumes) -> Volumes:
            return volumes.kept() if volumes.storage_class in storage_classes else volumes

        return replace(self, steps=tuple(replace(step, volumes=tuple(map(kept, step.volumes))) for step in self.steps))

    def most(self, weigh: Callable[[Volumes], int]) -> Peak:
        """The most at one time of what `weigh` counts of volumes; an upper bound.

        Beside the volumes of a step those count that outlast the step which made them, and the most that one step
        before it has given back: a claim is deleted, and not waited for until the storage has let go of what was
        behind it. Sets are waited for, so that these count no longer.
        """
        peak = Peak(amount=0, step=None)
        going = 0
        kept: list[tuple[str, Volumes]] = []
        for step in self.steps:
            over = [each for file, each in kept if each.lasts == "file" and file != step.file]
            going = max(going, sum(map(weigh, over)))
            kept = [(file, each) for file, each in kept if each.lasts == "run" or file == step.file]
            amount = going + sum(weigh(each) for each in (*(each for _, each in kept), *step.volumes))
            if amount > peak.amount:
                peak = Peak(amount=amount, step=step)
            kept += [(step.file, volume) for volume in step.volumes if volume.lasts != "step"]
            if not step.sets:
                going = max(going, sum(weigh(volume) for volume in step.volumes if volume.lasts == "step"))
        return peak
