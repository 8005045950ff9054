"""What the pods of PostgreSQL print: commits and how long they took, and what was found once it was recovered. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.crashes.writer_log import WriterLog

# As psql and pgbench print them in the C locale.
_TIME = re.compile(r"Time: (\d+\.\d+) ms(?: \(.*\))?")
_PROGRESS = re.compile(r"progress: \d+\.\d+ s, (\d+\.\d+) tps, .*")
_SAID = re.compile(
    r"storage-acceptance: (?:lost (?P<lost>\d+)|recovered (?P<began>[\d.]+) (?P<ended>[\d.]+)"
    r"|broken(?P<broken>.*)|unsound (?P<unsound>.+)|(?P<end>end))"
)


@dataclass(kw_only=True)
class CommitLog(WriterLog):
    """The same of a PostgreSQL. `times`: how long commits took, in s; `rates`: pgbench's transactions/s by second."""

    file: ClassVar[str] = "a new database"
    one: ClassVar[str] = "commit"
    times: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    def other(self, line: str) -> None:
        """A line of psql's, of pgbench's, or of whatever went wrong."""
        if timed := _TIME.fullmatch(line):
            self.times.append(float(timed[1]) / 1000)
        elif progress := _PROGRESS.fullmatch(line):
            self.rates.append(float(progress[1]))
        else:
            super().other(line)


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """What a recovered PostgreSQL said of itself. `seconds`: that it took; None where it did not start."""

    seconds: float | None
    broken: str
    lost: list[int]
    damage: list[str]


def recovery_in(printed: str, *, pod: str) -> Recovery:
    """What the log of the pod says. Raises EnvironmentFailure when it is not all there."""
    seconds, broken, lost, damage, ended = None, "", list[int](), list[str](), False
    for line in printed.splitlines():
        if (said := _SAID.fullmatch(line)) is None:
            continue
        if said["lost"]:
            lost.append(int(said["lost"]))
        elif said["began"]:
            seconds = float(said["ended"]) - float(said["began"])
        elif said["broken"] is not None:
            broken = said["broken"].strip() or "it said no reason"
        elif said["unsound"]:
            damage.append(said["unsound"].strip())
        else:
            ended = True
    if not ended or (seconds is None and not broken):
        raise EnvironmentFailure(
            f"the log of pod {pod} is incomplete: lines of it are missing; the node rotated the log, the pod was ended "
            f"by another one, or the suite read only a part of it; it ends: {' / '.join(printed.splitlines()[-3:])}"
        )
    return Recovery(seconds=seconds, broken=broken, lost=lost, damage=damage)
