"""All that one fio prints, taken piece by piece: samples, messages, the raw text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

from acceptance.loads.fio.documents import Document, DocumentReader
from acceptance.loads.fio.printed import Printed
from acceptance.loads.fio.samples import FioError, Sample, SampleReader
from acceptance.loads.fio.versions import UnreadableResult


class FioOutput:
    """`samples` so far; `error` is what fio reported to have gone wrong, None while all is well.

    `unreadable`: why the results of this fio cannot be read, None while they can.
    """

    def __init__(self, *, jobs: Sequence[str]) -> None:
        self.samples: list[Sample] = []
        self.error: str | None = None
        self.unreadable: str | None = None
        self._documents = DocumentReader(Printed())
        self._reader = SampleReader(jobs=jobs)
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode

    def pieces(self) -> Iterator[str]:
        """What fio printed, unchanged, as `Printed` keeps it."""
        return self._documents.pieces()

    @property
    def messages(self) -> str:
        """fio's own words beside its documents."""
        return "; ".join(self._documents.messages) or "fio printed no message"

    @property
    def fio_version(self) -> str:
        """As fio spells it, `fio-3.33`; empty before the first document."""
        return self._reader.fio_version

    def feed(self, piece: bytes) -> None:
        """Take the next piece of fio's output."""
        self._take(self._documents.feed(self._decode(piece)))

    def close(self) -> None:
        """The output has ended. An unfinished document is an error: fio was cut off."""
        self._take(self._documents.close())
        if self._documents.unfinished and self.error is None:
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
