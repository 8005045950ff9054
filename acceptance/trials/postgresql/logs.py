"""The output of the pods of PostgreSQL: commits and how long they took, and the findings after a recovery. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.crashes.writer_log import WriterLog

# As psql and pgbench print them in the C locale.
_TIME = re.compile(r"Time: (\d+\.\d+) ms(?: \(.*\))?")
_PROGRESS = re.compile(r"progress: \d+\.\d+ s, (\d+\.\d+) tps, .*")
_LINE = re.compile(
    r"storage-acceptance: (?:lost (?P<lost>\d+)|recovered (?P<began>[\d.]+) (?P<ended>[\d.]+)"
    r"|broken(?P<broken>.*)|unsound (?P<unsound>.+)|(?P<end>end))"
)


@dataclass(kw_only=True)
class CommitLog(WriterLog):
    """The log of a PostgreSQL as a writer. `times`: how long commits took, in s; `rates`: pgbench's transactions/s, one
    for each second."""

    file: ClassVar[str] = "a new database"
    unit: ClassVar[str] = "commit"
    times: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    def take_other_line(self, line: str) -> None:
        """Take a line of psql, of pgbench, or of a program that failed."""
        if duration := _TIME.fullmatch(line):
            self.times.append(float(duration[1]) / 1000)
        elif progress := _PROGRESS.fullmatch(line):
            self.rates.append(float(progress[1]))
        else:
            super().take_other_line(line)


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """The report of a recovered PostgreSQL. `seconds`: the duration of the recovery; None if it did not start."""

    seconds: float | None
    start_error: str
    lost_commits: list[int]
    damage: list[str]


def recovery_in(output: str, *, pod: str) -> Recovery:
    """Return the report in the log of the pod. Raises EnvironmentFailure if the log is incomplete."""
    seconds, start_error, lost_commits, damage, is_complete = None, "", list[int](), list[str](), False
    for line in output.splitlines():
        if (parts := _LINE.fullmatch(line)) is None:
            continue
        if parts["lost"]:
            lost_commits.append(int(parts["lost"]))
        elif parts["began"]:
            seconds = float(parts["ended"]) - float(parts["began"])
        elif parts["broken"] is not None:
            start_error = parts["broken"].strip() or "no reason was printed"
        elif parts["unsound"]:
            damage.append(parts["unsound"].strip())
        else:
            is_complete = True
    if not is_complete or (seconds is None and not start_error):
        raise EnvironmentFailure(
            f"the log of pod {pod} is incomplete: lines are missing; the node rotated the log, another client ended "
            f"the pod, or the suite read only a part of the log; it ends: {' / '.join(output.splitlines()[-3:])}"
        )
    return Recovery(seconds=seconds, start_error=start_error, lost_commits=lost_commits, damage=damage)
