"""The output of a running fio: one JSON document a second (`--status-interval=1`), with messages in between."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from acceptance.loads.fio.printed import Ends, PrintedText

Document = dict[str, Any]


class DocumentReader:
    """A reader that takes fio's output in pieces of any size and returns each document once it is complete.

    fio prints the outermost braces of a document alone on their lines. `messages` keeps all text outside of documents:
    fio's own words, on standard error or output. `is_unfinished` is set while a document is incomplete.

    `printed_text`, if given, receives the complete text, with documents as results; `messages` then keeps both ends.
    """

    def __init__(self, printed_text: PrintedText | None = None) -> None:
        self._printed_text = printed_text
        self._messages = Ends(most=math.inf) if printed_text is None else Ends()
        self._rest = ""
        self._open: list[str] = []
        self._open_text: list[str] = []

    @property
    def messages(self) -> list[str]:
        """fio's own words, line by line."""
        return self._messages.lines

    @property
    def is_unfinished(self) -> bool:
        """True if the output so far ends inside a document."""
        return bool(self._open)

    def feed(self, piece: str) -> list[Document]:
        """Take the next piece of output and return the documents that it completes."""
        *lines, self._rest = (self._rest + piece).split("\n")
        documents = []
        for line in lines:
            document = self._line(line, end="\n")
            if document is not None:
                documents.append(document)
        return documents

    def pieces(self) -> Iterator[str]:
        """Yield the complete text so far, as `printed_text` keeps it."""
        if self._printed_text is not None:
            yield from self._printed_text.pieces(rest="".join([*self._open_text, self._rest]))

    def close(self) -> list[Document]:
        """Take the end of the output, perhaps without a newline, and return the last document."""
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
        raw_text, self._open_text = "".join(self._open_text), []
        try:
            document: Document = json.loads(text)
        except ValueError:
            self._messages.append(f"unreadable document of {len(text)} characters from fio")
            self._keep(raw_text, is_result=False)
            return None
        self._keep(raw_text, is_result=True)
        return document

    def _keep(self, text: str, *, is_result: bool) -> None:
        if text and self._printed_text is not None:
            self._printed_text.add(text, is_result=is_result)
