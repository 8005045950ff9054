"""All that a load prints, cut into its segments while it comes."""

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

# Begins a line of the load's own, which no load generator prints.
MARK = "storage-acceptance:"


class Output(Protocol):
    """What a load generator prints in one segment, turned into samples piece by piece."""

    samples: list[Sample]
    error: str | None
    unreadable: str | None
    """why its results cannot be read, which is no fault of the storage; None while they can"""

    def pieces(self) -> Iterator[str]:
        """All of it, unchanged, as `Printed` keeps it."""

    @property
    def messages(self) -> str:
        """The load generator's own words."""

    @property
    def fio_version(self) -> str:
        """The load generator and its version."""

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""

    def close(self) -> None:
        """There is no more."""


def output_of(profile: Profile) -> Callable[[], Output]:
    """What makes an output for each segment of the profile's load."""
    return SysbenchOutput if profile.program == "sysbench" else lambda: FioOutput(jobs=profile.jobs)


@dataclass(kw_only=True)
class LoadLog:
    """The segments so far, when each began, and how the load ended.

    `ended` is its exit status; `refused` the status of the check that kept it from beginning, whose words are in
    `before`.
    """

    new_output: Callable[[], Output]
    segments: list[Output] = field(default_factory=list)
    started: list[datetime] = field(default_factory=list)
    ended: int | None = None
    refused: int | None = None
    _before: Ends = field(default_factory=Ends)
    _rest: bytes = b""

    @property
    def before(self) -> str:
        """What was printed before the first segment."""
        return "".join(f"{line}\n" for line in self._before.lines)

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the log."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        loaded: list[bytes] = []
        for line in lines:
            if line.startswith(MARK.encode()):
                self._load_printed(loaded)
                loaded = []
                self._take_mark(line.decode(errors="replace").removeprefix(MARK).split())
            else:
                loaded.append(line + b"\n")
        self._load_printed(loaded)

    def close(self) -> None:
        """The log has ended."""
        if self._rest:
            self._load_printed([self._rest])
            self._rest = b""
        if self.segments:
            self.segments[-1].close()

    @property
    def over(self) -> bool:
        """Whether the load has said that nothing follows."""
        return self.ended is not None or self.refused is not None

    def keep(self, names: Sequence[str], *, keep_output: Callable[[str, Iterable[str]], None]) -> None:
        """Hand over what was printed in each segment, under the segment's name."""
        for name, output in zip(names, self.segments, strict=False):
            keep_output(name, output.pieces())

    def taken(self, samples: Sequence[Sequence[Sample]], *, pod: str, node: str) -> list[Segment]:
        """The segments that were begun, with those of their samples that count. `pod` ran them on `node`."""
        return [
            Segment(pod=pod, node=node, fio_version=output.fio_version, started=started, samples=tuple(counted))
            for output, started, counted in zip(self.segments, self.started, samples, strict=False)
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
            self.started.append(datetime.now(UTC))
        elif words[0] == "ended":
            self.ended = int(words[1])
        elif words[0] == "refused":
            self.refused = int(words[1])

    def _load_printed(self, lines: Sequence[bytes]) -> None:
        if not lines:
            return
        if self.segments:
            self.segments[-1].feed(b"".join(lines))
        else:
            for line in lines:
                self._before.append(line.decode(errors="replace").removesuffix("\n"))


class Watched:
    """Shows the samples of a log to whoever watches, each once, however often the log is read from its beginning."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._seen: list[int] = []

    def enough(self, log: LoadLog) -> bool:
        """Show what is new, one by one, so that no look is passed over when several come at once."""
        for number, output in enumerate(log.segments):
            if number == len(self._seen):
                self._seen.append(0)
            while self._seen[number] < len(output.samples):
                self._seen[number] += 1
                if self._watch(number, output.samples[: self._seen[number]]):
                    return True
        return False

    def samples(self, log: LoadLog) -> list[Sequence[Sample]]:
        """Those that were shown, segment by segment: what is judged is what the looks saw."""
        return [output.samples[:seen] for output, seen in zip(log.segments, self._seen, strict=False)]
