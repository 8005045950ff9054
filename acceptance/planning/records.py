"""A plan: the steps of a run, what each creates, how long it takes, and the maximum that exists at one time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal

Lasts = Literal["step", "file", "run"]
"""The lifetime of volumes: their step, until all tests of their file are over, or until the run is over."""


@dataclass(frozen=True, kw_only=True)
class Volumes:
    """Volumes that a step creates; `size` of each, in bytes. On a host they are files in its directories.

    `number`: the number of volumes that exist at one time; `total`: created in all, if some are deleted before others
    are created (0: no more than `number`). `beside`: bytes that the storage keeps for them at most besides their own
    size: a snapshot, a further replica. `evenly`: they are spread evenly over the nodes.
    """

    storage_class: str
    number: int
    size: int
    lasts: Lasts = "step"
    total: int = 0
    beside: int = 0
    evenly: bool = False

    @property
    def storage(self) -> int:
        """The maximum bytes of the volumes, if each is written in full."""
        return self.number * self.size + self.beside

    def keep_for_run(self) -> Volumes:
        """Return these volumes if none is deleted before the run is over: the total, on any nodes."""
        return replace(self, number=max(self.number, self.total), lasts="run", evenly=False)


@dataclass(frozen=True, kw_only=True)
class PlannedStep:
    """A step of the run, done once for all tests that require it. Times in s.

    `about_s`: the time if verdicts are clear; `longer_s`: the additional time if they remain undecided until the suite
    ends the measurement; `goes_on_s`: the part of that after a minute of load (`--storage-load longest`). `payer`: the
    first test that requires it, during which it is done; `required_by`: all tests that do, `tests`: their number.
    `together`: the name of steps that are all done during the test of the first of them.
    """

    description: str
    about_s: float
    longer_s: float = 0.0
    goes_on_s: float = 0.0
    volumes: tuple[Volumes, ...] = ()
    pods: int = 0
    sets: int = 0
    payer: str = ""
    together: str = ""
    tests: int = 1
    required_by: tuple[str, ...] = ()
    destructive: bool = False

    @property
    def most_s(self) -> float:
        """The maximum duration of the step."""
        return self.about_s + self.longer_s

    @property
    def file(self) -> str:
        """The file of tests that the step belongs to."""
        return self.payer.partition("::")[0]


@dataclass(frozen=True, kw_only=True)
class Peak:
    """The maximum amount of something at one time, and the step during which it occurs."""

    amount: int
    step: PlannedStep | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All steps in the order of the tests. `skips`: reason and number of tests; `unknown`: tests without a plan."""

    steps: tuple[PlannedStep, ...]
    skips: tuple[tuple[str, int], ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def about_s(self) -> float:
        """The duration of the run if verdicts are clear."""
        return sum(step.about_s for step in self.steps)

    @property
    def most_s(self) -> float:
        """The duration of the run if no verdict is clear before its measurement's end."""
        return sum(step.most_s for step in self.steps)

    @property
    def goes_on_s(self) -> float:
        """The part of the maximum duration that comes after a minute of each load."""
        return sum(step.goes_on_s for step in self.steps)

    @property
    def most_storage(self) -> int:
        """The maximum of bytes that are claimed at one time."""
        return self.most(lambda volumes: volumes.storage).amount

    @property
    def most_volumes(self) -> int:
        """The maximum of volumes that exist at one time."""
        return self.most(lambda volumes: volumes.number).amount

    @property
    def storage_classes(self) -> tuple[str, ...]:
        """The classes of the claimed volumes, each once, in their order."""
        return tuple(dict.fromkeys(volume.storage_class for step in self.steps for volume in step.volumes))

    def keeping(self, storage_classes: Collection[str]) -> Plan:
        """Return this plan if no volume of these classes is deleted before the run is over."""

        def keep(volumes: Volumes) -> Volumes:
            return volumes.keep_for_run() if volumes.storage_class in storage_classes else volumes

        return replace(self, steps=tuple(replace(step, volumes=tuple(map(keep, step.volumes))) for step in self.steps))

    def most(self, weigh: Callable[[Volumes], int]) -> Peak:
        """Return the maximum at one time of what `weigh` counts of volumes; an upper bound.

        Besides the volumes of a step, those count that outlast the step which created them, and the most that one
        earlier step has deleted: the run does not wait until the storage has released the space of a deleted claim.
        It does wait for sets, so these no longer count.
        """
        peak = Peak(amount=0, step=None)
        going = 0
        lasting: list[tuple[str, Volumes]] = []
        for step in self.steps:
            over = [volumes for file, volumes in lasting if volumes.lasts == "file" and file != step.file]
            going = max(going, sum(map(weigh, over)))
            lasting = [(file, volumes) for file, volumes in lasting if volumes.lasts == "run" or file == step.file]
            amount = going + sum(weigh(volumes) for volumes in (*(volumes for _, volumes in lasting), *step.volumes))
            if amount > peak.amount:
                peak = Peak(amount=amount, step=step)
            lasting += [(step.file, volume) for volume in step.volumes if volume.lasts != "step"]
            if not step.sets:
                going = max(going, sum(weigh(volume) for volume in step.volumes if volume.lasts == "step"))
        return peak
