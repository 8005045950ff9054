"""fio's output while it runs: one JSON document a second (`--status-interval=1`), messages in between."""

from __future__ import annotations

import json
from typing import Any

Document = dict[str, Any]


class DocumentReader:
    """Takes fio's output in pieces of any size; hands out each document once it is whole.

    fio puts the outermost braces of a document alone on their lines; all that stands outside of documents is kept in
    `messages`: fio's own words, on standard error or output. A document that breaks off stays in `unfinished`.
    """

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._rest = ""
        self._open: list[str] = []

    @property
    def unfinished(self) -> bool:
        """Whether the output so far ends inside a document."""
        return bool(self._open)

    def feed(self, piece: str) -> list[Document]:
        """Take the next piece of output; the documents that it completes."""
        *lines, self._rest = (self._rest + piece).split("\n")
        documents = []
        for line in lines:
            document = self._line(line.rstrip("\r"))
            if document is not None:
                documents.append(document)
        return documents

    def close(self) -> list[Document]:
        """The output has ended, perhaps without a newline."""
        return self.feed("\n") if self._rest else []

    def _line(self, line: str) -> Document | None:
        if line == "{":
            # A document that begins inside another: fio was cut off and what follows is a new one.
            self._open = [line]
        elif self._open and line.startswith("fio: "):
            self.messages.append(line)  # standard error, mixed into the log between two lines of a document
        elif self._open:
            self._open.append(line)
            if line == "}":
                return self._close_document()
        elif line.strip():
            self.messages.append(line)
        return None

    def _close_document(self) -> Document | None:
        text, self._open = "\n".join(self._open), []
        try:
            document: Document = json.loads(text)
        except ValueError:
            self.messages.append(f"unreadable document of {len(text)} characters from fio")
            return None
        return document
