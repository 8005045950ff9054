"""The output of one load pod, cut into steps as it arrives, with the pod's clock next to the suite's own."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from acceptance.loads.fio.documents import DocumentReader
from acceptance.loads.fio.printed import PrintedText
from acceptance.loads.fio.samples import FioError, Sample, SampleReader
from acceptance.loads.fio.versions import UnreadableResult
from acceptance.measuring.load_log import MARK
from acceptance.measuring.windows import TimedSample


@dataclass(kw_only=True)
class StepLog:
    """The output of one fio. `status` is its exit status, None while it runs; `error` the error that it reported.

    `unreadable`: why its results cannot be read, None while they can.

    `samples` begin with fio's first document; `head` holds the operations before that, from the beginning of the load
    on.

    `offset_s` is the offset of the suite's clock from the pod's: the least delay of any document, None before the
    first.
    """

    jobs: Sequence[str]
    samples: list[TimedSample] = field(default_factory=list)
    status: int | None = None
    error: str | None = None
    unreadable: str | None = None
    offset_s: float | None = None

    def __post_init__(self) -> None:
        self._documents, self._reader = DocumentReader(PrintedText()), SampleReader(jobs=self.jobs)
        self._began_s: float | None = None

    @property
    def head(self) -> TimedSample | None:
        """The operations before the first sample; None before that sample, and if it holds all from the beginning
        on."""
        first = self._reader.first
        if first is None or self._began_s is None:
            return None
        end_s = first.timestamp_ms / 1000
        if end_s <= self._began_s:  # the load began with a standstill, which is in the first sample
            return None
        return TimedSample(end_s=end_s, sample=Sample(duration_s=end_s - self._began_s, counts=first.counts))

    @property
    def messages(self) -> str:
        """fio's own messages next to its documents."""
        return "; ".join(self._documents.messages) or "fio printed no message"

    def pieces(self) -> Iterator[str]:
        """Return what fio printed, unchanged, as `PrintedText` keeps it."""
        return self._documents.pieces()

    def feed(self, text: str, *, arrived_s: float) -> None:
        """Take the next lines; `arrived_s`: when they arrived, in s since the epoch."""
        for document in self._documents.feed(text):
            try:
                sample = self._reader.read(document)
            except UnreadableResult as error:
                self.unreadable = self.unreadable or str(error)
                continue
            except FioError as error:
                self.error = self.error or str(error)
                sample = None
            end_s = document["timestamp_ms"] / 1000
            self.offset_s = _least(self.offset_s, arrived_s - end_s)
            if sample is not None:
                self.samples.append(TimedSample(end_s=end_s, sample=sample))
                # fio's own time stands still while it is stalled, so that the beginning may only seem too late.
                self._began_s = _least(self._began_s, end_s - self._reader.runtime_s)


class PodLog:
    """The state of the pod: `ready` at the start barrier for a first step, `has_restarted`, or kept from beginning.

    `cut_off`: its first output was not seen. `refusal_status` is the status of the check that kept it, whose message is
    in `output`; `unwritten` that of the fio that could not write the test file; `over`: it got no new step for too long
    and gave up. `offset_s` is the offset of the suite's clock from its own; None before its clock was reported at the
    start barrier.

    `step` is the step that runs or ran last, `number` its number: the step before is dropped when a new one begins, so
    that memory does not grow with the run. `at_barrier` is the number of the step that the pod waits to begin.
    """

    def __init__(self, *, prefill_jobs: Sequence[str], cut_off: bool = False) -> None:
        self.cut_off = cut_off
        self.ready = False
        self.has_restarted = False
        self.refusal_status: int | None = None
        self.unwritten: int | None = None
        self.over = False
        self.prefill_bytes = 0
        self.output = ""
        self.at_barrier: int | None = None
        self.number: int | None = None
        self.prefill = StepLog(jobs=prefill_jobs)
        self.step: StepLog | None = None
        self.offset_s: float | None = None
        self._told_offset_s: float | None = None
        self.wanted_jobs: Sequence[str] = ()
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._rest = ""

    def feed(self, piece: bytes, *, arrived_s: float) -> bool:
        """Take the next piece of the log; return whether the pod advanced by it.

        `arrived_s`: when the piece arrived, in s since the epoch.
        """
        before = self._how_far
        *lines, self._rest = (self._rest + self._decode(piece)).split("\n")
        fio_lines: list[str] = []
        for line in lines:
            if line.startswith(MARK):
                self._feed_fio(fio_lines, arrived_s)
                fio_lines = []
                self._take_mark(line.removeprefix(MARK).split(), arrived_s)
            else:
                fio_lines.append(line + "\n")
        self._feed_fio(fio_lines, arrived_s)
        return self._how_far != before

    @property
    def _how_far(self) -> tuple[object, ...]:
        step = () if self.step is None else (self.step.status, len(self.step.samples), self.step.error)
        return (
            self.ready,
            self.has_restarted,
            self.refusal_status,
            self.unwritten,
            self.over,
            self.prefill_bytes,
            self.at_barrier,
            self.number,
            step,
        )

    def _feed_fio(self, lines: Sequence[str], arrived_s: float) -> None:
        if not lines:
            return
        text = "".join(lines)
        if self.step is not None and self.step.status is None:
            self.step.feed(text, arrived_s=arrived_s)
        elif not self.ready:
            self.output = (self.output + text)[-2000:]
            self.prefill.feed(text, arrived_s=arrived_s)
            self.prefill_bytes += sum(sample.sample.counts["write"].bytes for sample in self.prefill.samples)
            self.prefill.samples.clear()

    def _take_mark(self, words: Sequence[str], arrived_s: float) -> None:
        match words:
            case ["clock", seconds]:
                self._told_offset_s = _least(self._told_offset_s, arrived_s - int(seconds))
                self.offset_s = self._told_offset_s
            case ["ready"]:
                self.ready, self.output = True, ""
            case ["restarted"]:
                self.has_restarted = True
            case ["refused", status]:
                self.refusal_status = int(status)
            case ["unwritten", status]:
                self.unwritten = int(status)
            case ["over"]:
                self.over = True
            case ["barrier", number]:
                self.at_barrier = int(number)
                self._told_offset_s = None  # a clock may be set: reports after this step count for the next
            case ["begin", number]:
                self.number, self.step = int(number), StepLog(jobs=self.wanted_jobs)
            case ["end", _, status] if self.step is not None:
                self.step.status = int(status)


def _least(before: float | None, now: float) -> float:
    return now if before is None else min(before, now)
