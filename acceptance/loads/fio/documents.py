"""fio's output while it runs: one JSON document a second (`--status-interval=1`), messages in between."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from acceptance.loads.fio.printed import Ends, Printed

Document = dict[str, Any]


class DocumentReader:
    """Takes fio's output in pieces of any size; hands out each document once it is whole.

    fio puts the outermost braces of a document alone on their lines; all that stands outside of documents is kept in
    `messages`: fio's own words, on standard error or output. A document that breaks off stays in `unfinished`.

    `printed`, if given, is handed the whole text, documents as results; of `messages` both ends are kept then.
    """

    def __init__(self, printed: Printed | None = None) -> None:
        self._printed = printed
        self._messages = Ends(most=math.inf) if printed is None else Ends()
        self._rest = ""
        self._open: list[str] = []
        self._open_text: list[str] = []

    @property
    def messages(self) -> list[str]:
        """fio's own words, line by line."""
        return self._messages.lines

    @property
    def unfinished(self) -> bool:
        """Whether the output so far ends inside a document."""
        return bool(self._open)

    def feed(self, piece: str) -> list[Document]:
        """Take the next piece of output; the documents that it completes."""
        *lines, self._rest = (self._rest + piece).split("\n")
        documents = []
        for line in lines:
            document = self._line(line, end="\n")
            if document is not None:
                documents.append(document)
        return documents

    def pieces(self) -> Iterator[str]:
        """The whole text so far, as `printed` keeps it."""
        if self._printed is not None:
            yield from self._printed.pieces(rest="".join([*self._open_text, self._rest]))

    def close(self) -> list[Document]:
        """The output has ended, perhaps without a newline."""
        rest, self._rest = self._rest, ""
        document = self._line(rest, end="") if rest else None
        return [] if document is None else [document]

    def _line(self, text: str, *, end: str) -> Document | None:
        line = text.rstrip("\r")
        if line == "{":
            # A document that begins inside another: fio was cut off and what follows is a new one.
            self._keep("".join(self._open_text), is_result=False)
            self._open, self._open_text = [line], [text + end]
        elif self._open:
            self._open_text.append(text + end)
            if line.startswith("fio: "):
                self._messages.append(line)  # standard error, mixed into the log between two lines of a document
                return None
            self._open.append(line)
            if line == "}":
                return self._close_document()
        else:
            self._keep(text + end, is_result=False)
            if line.strip():
                self._messages.append(line)
        return None

    def _close_document(self) -> Document | None:
        text, self._open = "\n".join(self._open), []
        printed, self._open_text = "".join(self._open_text), []
        try:
            document: Document = json.loads(text)
        except ValueError:
            self._messages.append(f"unreadable document of {len(text)} characters from fio")
            self._keep(printed, is_result=False)
            return None
        self._keep(printed, is_result=True)
        return document

    def _keep(self, text: str, *, is_result: bool) -> None:
        if text and self._printed is not None:
            self._printed.add(text, is_result=is_result)
