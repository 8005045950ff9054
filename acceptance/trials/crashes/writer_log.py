"""What a writer's log says: which records are durable, or why there are no more."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SAID = re.compile(rb"storage-acceptance: (?:(durable) (\d+)|(failed) (\d+)|(refused)|(lacks) (\S+))")


@dataclass(kw_only=True)
class WriterLog:
    """What a writer's log has said so far. Lines count when they are whole; `others` are not the writer's own.

    `acknowledged` is the highest number that was printed: whoever prints a number has printed all before it.
    """

    acknowledged: int = 0
    lacks: str = ""
    failed: str = ""
    others: str = ""
    _rest: bytes = b""

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the log."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            said = _SAID.fullmatch(line)
            if said is None:
                self.others = (self.others + line.decode(errors="replace") + "\n")[-2000:]
            elif said[6]:
                self.lacks = said[7].decode(errors="replace")
            elif said[1]:
                self.acknowledged = max(self.acknowledged, int(said[2]))
            else:
                self.failed = f"record {int(said[4])}" if said[3] else "the file for the records"
