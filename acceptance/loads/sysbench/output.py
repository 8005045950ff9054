"""The output of one sysbench process, taken piece by piece: samples, messages, the raw text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from acceptance.loads.fio.printed import Ends, PrintedText
from acceptance.loads.fio.samples import Counts, Sample

MIB = 1024**2
_BANNER = re.compile(r"(sysbench \S+) \(using ")
_BLOCK_SIZE = re.compile(r"Block size ([\d.]+)(B|KiB|MiB|GiB)")
_UNITS = {"B": 1, "KiB": 1024, "MiB": MIB, "GiB": 1024 * MIB}
_LOAD_STARTED = "Threads started!"
# Rates over the time since the previous report. One latency over all operations does not describe any direction.
_REPORT = re.compile(
    r"\[ (?P<elapsed_s>\d+)s \] reads: (?P<read>[\d.]+) MiB/s writes: (?P<write>[\d.]+) MiB/s "
    r"fsyncs: (?P<sync>[\d.]+)/s .*"
)
_GAVE_UP = "FATAL: "
# Messages about options that sysbench rejects have none of the capital words in front.
_MESSAGE = re.compile(r"FATAL: |ALERT: |WARNING: |[Ii]nvalid |Unknown |Unrecognized |Missing ")


class SysbenchOutput:
    """The output of a running sysbench: `samples` so far; `error` is the first error of sysbench, None without any.

    A sample covers the time between two reports, so there is none for the first second. sysbench prints MiB/s with
    two decimals: operations, computed from the bytes, are exact to 0.005 MiB divided by the size of a block.
    """

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.error: str | None = None
        self.unreadable: str | None = None
        """Why a result cannot be read: only fio's can be unreadable, because sysbench's are read line by line."""
        self.fio_version = ""
        """The load generator as it spells itself, `sysbench 1.0.20`; empty before its first line."""
        self._messages = Ends()
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._printed_text = PrintedText()
        self._rest = ""
        self._block_size: float | None = None
        self._elapsed_s: int | None = None
        self._loading = False

    def pieces(self) -> Iterator[str]:
        """Yield what sysbench printed, unchanged, as `PrintedText` keeps it."""
        return self._printed_text.pieces()

    @property
    def messages(self) -> str:
        """The messages of sysbench besides its reports, and those of a shell that could not run it."""
        return "; ".join(self._messages.lines) or "sysbench printed no message"

    def feed(self, piece: bytes) -> None:
        """Take the next piece of sysbench's output."""
        text = self._decode(piece)
        self._printed_text.add(text, is_result=False)
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._take(line.rstrip("\r"))

    def close(self) -> None:
        """Take the end of the output. An incomplete report is an error: sysbench was cut off."""
        line, self._rest = self._rest, ""
        if line.startswith("[ ") and not _REPORT.fullmatch(line):
            self.error = self.error or "its output breaks off in the middle of a report"
        elif line:
            self._take(line)

    def _take(self, line: str) -> None:
        if banner := _BANNER.match(line):
            self.fio_version = banner[1]
        elif block_size := _BLOCK_SIZE.fullmatch(line):
            self._block_size = float(block_size[1]) * _UNITS[block_size[2]]
        elif line == _LOAD_STARTED:
            self._loading, self._elapsed_s = True, None
        elif report := _REPORT.fullmatch(line):
            self._take_report(report)
        elif line.strip() and (_MESSAGE.match(line) or not self.fio_version):
            self._messages.append(line)
            if line.startswith(_GAVE_UP):
                self.error = self.error or f"sysbench gave up {'during' if self._loading else 'before'} the load"

    def _take_report(self, report: re.Match[str]) -> None:
        if self._block_size is None:
            self.error = self.error or "sysbench reports a load before it has reported the block size"
            return
        before_s, self._elapsed_s = self._elapsed_s, int(report["elapsed_s"])
        if before_s is None or before_s >= self._elapsed_s or self.error:
            return
        duration_s = self._elapsed_s - before_s
        counts = {
            direction: self._counts(float(report[direction]) * MIB * duration_s) for direction in ("read", "write")
        }
        counts["sync"] = Counts(ios=round(float(report["sync"]) * duration_s))
        self.samples.append(Sample(duration_s=float(duration_s), counts=counts))

    def _counts(self, bytes_done: float) -> Counts:
        return Counts(ios=round(bytes_done / (self._block_size or 1)), bytes=round(bytes_done))
