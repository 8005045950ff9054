"""What a writer's log says: which records are durable, or why there are no more."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

_SAID = re.compile(
    rb"storage-acceptance: (?:durable (?P<durable>\d+)(?: (?P<at>\d+(?:\.\d+)?))?|failed (?P<failed>\d+)"
    rb"|(?P<refused>refused)|lacks (?P<lacks>\S+))"
)


@dataclass(kw_only=True)
class WriterLog:
    """What a writer's log has said so far. Lines count when they are whole; `others` are not the writer's own.

    `acknowledged` is the highest number that was printed: whoever prints a number has printed all before it. `moments`:
    when they became durable, in s by the clock of the node, each with its number, until somebody takes them away; empty
    where the pod cannot read that clock. `file` and `one`: what it makes first, and what it then writes, in words.
    """

    file: ClassVar[str] = "the file for the records"
    one: ClassVar[str] = "record"
    acknowledged: int = 0
    lacks: str = ""
    failed: str = ""
    others: str = ""
    moments: list[tuple[float, int]] = field(default_factory=list)
    _rest: bytes = b""

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the log."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            said = _SAID.fullmatch(line)
            if said is None:
                self.other(line.decode(errors="replace"))
            elif said["lacks"]:
                self.lacks = said["lacks"].decode(errors="replace")
            elif said["durable"]:
                number = int(said["durable"])
                if said["at"] and number > self.acknowledged:
                    self.moments.append((float(said["at"]), number))
                self.acknowledged = max(self.acknowledged, number)
            else:
                self.failed = f"{self.one} {int(said['failed'])}" if said["failed"] else self.file

    def other(self, line: str) -> None:
        """A line that is not the writer's own."""
        self.others = (self.others + line + "\n")[-2000:]
