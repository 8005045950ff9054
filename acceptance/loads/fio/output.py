"""The output of one fio process, taken piece by piece: samples, messages, the raw text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

from acceptance.loads.fio.documents import Document, DocumentReader
from acceptance.loads.fio.printed import PrintedText
from acceptance.loads.fio.samples import FioError, Sample, SampleReader
from acceptance.loads.fio.versions import UnreadableResult


class FioOutput:
    """The output of a running fio: `samples` so far; `error` is the first error that fio reported, None without any.

    `unreadable`: why the results of this fio cannot be read; None while they can.
    """

    def __init__(self, *, jobs: Sequence[str]) -> None:
        self.samples: list[Sample] = []
        self.error: str | None = None
        self.unreadable: str | None = None
        self._documents = DocumentReader(PrintedText())
        self._reader = SampleReader(jobs=jobs)
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode

    def pieces(self) -> Iterator[str]:
        """Yield what fio printed, unchanged, as `PrintedText` keeps it."""
        return self._documents.pieces()

    @property
    def messages(self) -> str:
        """fio's own words outside of its documents."""
        return "; ".join(self._documents.messages) or "fio printed no message"

    @property
    def fio_version(self) -> str:
        """The version as fio spells it, `fio-3.33`; empty before the first document."""
        return self._reader.fio_version

    def feed(self, piece: bytes) -> None:
        """Take the next piece of fio's output."""
        self._take(self._documents.feed(self._decode(piece)))

    def close(self) -> None:
        """Take the end of the output. An incomplete document is an error: fio was cut off."""
        self._take(self._documents.close())
        if self._documents.is_unfinished and self.error is None:
            self.error = "its output breaks off in the middle of a document"
        sample = self._reader.close()
        if sample is not None and self.error is None:
            self.samples.append(sample)

    def _take(self, documents: Sequence[Document]) -> None:
        for document in documents:
            try:
                sample = self._reader.read(document)
            except FioError as error:
                self.error = self.error or str(error)
            except UnreadableResult as error:
                self.unreadable = self.unreadable or str(error)
            else:
                if sample is not None and self.error is None:
                    self.samples.append(sample)
