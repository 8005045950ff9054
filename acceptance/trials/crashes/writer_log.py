"""The log of a writer: which records are durable, or why there are no more."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

_LINE = re.compile(
    rb"storage-acceptance: (?:durable (?P<durable>\d+)(?: (?P<at>\d+(?:\.\d+)?))?|failed (?P<failed>\d+)"
    rb"|again (?P<again>\d+)|(?P<refused>refused)|lacks (?P<lacks>\S+))"
)


@dataclass(kw_only=True)
class WriterLog:
    """The content of a writer's log so far. Lines count once they are complete; `other_lines` are not the writer's own.

    `acknowledged_count` is the highest number that was printed: the writer has printed all lower numbers before.
    `moments`: when records became durable, in s by the clock of the node, each with its number, until the caller
    removes them; empty if the pod cannot read that clock. `refusals`: the numbers of records that the storage refused,
    and that the writer writes again. `file` and `unit`: the words for what the writer creates first, and for what it
    then writes.
    """

    file: ClassVar[str] = "the file for the records"
    unit: ClassVar[str] = "record"
    acknowledged_count: int = 0
    lacks: str = ""
    failure: str = ""
    other_lines: str = ""
    moments: list[tuple[float, int]] = field(default_factory=list)
    refusals: set[int] = field(default_factory=set)
    _rest: bytes = b""

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the log."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            parts = _LINE.fullmatch(line)
            if parts is None:
                self.take_other_line(line.decode(errors="replace"))
            elif parts["lacks"]:
                self.lacks = parts["lacks"].decode(errors="replace")
            elif parts["again"]:
                self.refusals.add(int(parts["again"]))
            elif parts["durable"]:
                number = int(parts["durable"])
                if parts["at"] and number > self.acknowledged_count:
                    self.moments.append((float(parts["at"]), number))
                self.acknowledged_count = max(self.acknowledged_count, number)
            else:
                self.failure = f"{self.unit} {int(parts['failed'])}" if parts["failed"] else self.file

    def take_other_line(self, line: str) -> None:
        """Take a line that is not the writer's own."""
        self.other_lines = (self.other_lines + line + "\n")[-2000:]
