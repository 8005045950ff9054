"""The output of a load, split into its segments as it arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from acceptance.loads.fio.output import FioOutput
from acceptance.loads.fio.printed import Ends
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.loads.sysbench.output import SysbenchOutput
from acceptance.measuring.load import Segment, Watch
from acceptance.text.errors import EnvironmentFailure

# The beginning of a line of the load's own script, which no load generator prints.
MARK = "storage-acceptance:"


class Output(Protocol):
    """The output of a load generator in one segment, turned into samples piece by piece."""

    samples: list[Sample]
    error: str | None
    unreadable: str | None
    """Why its results cannot be read, which is not a fault of the storage; None while they can."""

    def pieces(self) -> Iterator[str]:
        """Yield the complete output, unchanged, as `PrintedText` keeps it."""

    @property
    def messages(self) -> str:
        """The load generator's own words."""

    @property
    def fio_version(self) -> str:
        """The load generator and its version."""

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""

    def close(self) -> None:
        """Take the end of the output."""


def output_of(profile: Profile) -> Callable[[], Output]:
    """Return the function that creates an output for each segment of the profile's load."""
    return SysbenchOutput if profile.program == "sysbench" else lambda: FioOutput(jobs=profile.jobs)


@dataclass(kw_only=True)
class LoadLog:
    """The segments so far, the time at which each began, and how the load ended.

    `exit_status` is that of the load; `check_status` is that of a failed check, which kept the load from beginning and
    whose messages are in `before`.
    """

    new_output: Callable[[], Output]
    segments: list[Output] = field(default_factory=list)
    start_times: list[datetime] = field(default_factory=list)
    exit_status: int | None = None
    check_status: int | None = None
    _before: Ends = field(default_factory=Ends)
    _rest: bytes = b""

    @property
    def before(self) -> str:
        """The output before the first segment."""
        return "".join(f"{line}\n" for line in self._before.lines)

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the log."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        output_lines: list[bytes] = []
        for line in lines:
            if line.startswith(MARK.encode()):
                self._take_output(output_lines)
                output_lines = []
                self._take_mark(line.decode(errors="replace").removeprefix(MARK).split())
            else:
                output_lines.append(line + b"\n")
        self._take_output(output_lines)

    def close(self) -> None:
        """Take the end of the log."""
        if self._rest:
            self._take_output([self._rest])
            self._rest = b""
        if self.segments:
            self.segments[-1].close()

    @property
    def over(self) -> bool:
        """True if the load has printed that it is over."""
        return self.exit_status is not None or self.check_status is not None

    def keep(self, names: Sequence[str], *, keep_output: Callable[[str, Iterable[str]], None]) -> None:
        """Pass the output of each segment to `keep_output`, under the segment's name."""
        for name, output in zip(names, self.segments, strict=False):
            keep_output(name, output.pieces())

    def recorded_segments(self, samples: Sequence[Sequence[Sample]], *, pod: str, node: str) -> list[Segment]:
        """Return the segments that began, with their samples that count. `pod` ran them on `node`."""
        return [
            Segment(
                pod=pod,
                node=node,
                fio_version=output.fio_version,
                start_time=start_time,
                samples=tuple(segment_samples),
            )
            for output, start_time, segment_samples in zip(self.segments, self.start_times, samples, strict=False)
        ]

    def _take_mark(self, words: Sequence[str]) -> None:
        if self.segments:
            self.segments[-1].close()
        if words[0] == "segment":
            if int(words[1]) != len(self.segments):
                raise EnvironmentFailure(
                    f"the log of the load begins with segment {words[1]}: the node rotated it before the suite "
                    "read it; let the node keep more (the kubelet's containerLogMaxSize)"
                )
            self.segments.append(self.new_output())
            self.start_times.append(datetime.now(UTC))
        elif words[0] == "ended":
            self.exit_status = int(words[1])
        elif words[0] == "refused":
            self.check_status = int(words[1])

    def _take_output(self, lines: Sequence[bytes]) -> None:
        if not lines:
            return
        if self.segments:
            self.segments[-1].feed(b"".join(lines))
        else:
            for line in lines:
                self._before.append(line.decode(errors="replace").removesuffix("\n"))


class WatchedSamples:
    """The samples of a log, shown to a watch, each once, however often the log is read from its beginning."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._sample_counts: list[int] = []

    def enough(self, log: LoadLog) -> bool:
        """Show new samples one by one, so that no interim analysis is skipped if several arrive at the same time."""
        for number, output in enumerate(log.segments):
            if number == len(self._sample_counts):
                self._sample_counts.append(0)
            while self._sample_counts[number] < len(output.samples):
                self._sample_counts[number] += 1
                if self._watch(number, output.samples[: self._sample_counts[number]]):
                    return True
        return False

    def samples(self, log: LoadLog) -> list[Sequence[Sample]]:
        """Return the samples that were shown, segment by segment: the same samples are judged."""
        return [output.samples[:count] for output, count in zip(log.segments, self._sample_counts, strict=False)]
