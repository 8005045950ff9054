"""The output of a load generator, kept within bounds however long it is: all results, and both ends of the rest."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

# Characters that are no results: this many at the beginning, and as many at the end.
KEPT_AT_EITHER_END = 32 * 1024**2
# Characters of a load generator's own words, which go into errors.
WORDS_AT_EITHER_END = 64 * 1024
# fio's documents resemble each other: compressed together, they take half the space of documents compressed singly.
BLOCK = 128 * 1024
T = TypeVar("T")


@dataclass(slots=True)
class _Block:
    size: int
    content: bytes
    is_result: bool
    is_dropped: bool = False


class _BothEnds(Generic[T]):
    """Both ends of a sequence: `first` holds items up to a total size of `most`; `last` the latest, up to as much."""

    def __init__(self, *, most: float) -> None:
        self._most = most
        self.first: list[T] = []
        self.last: deque[T] = deque()
        self._first_size = self._last_size = 0

    def take(self, item: T, *, size: Callable[[T], int]) -> list[T]:
        """Keep the item; return the oldest items after `first`, which are dropped for it."""
        if not self.last and self._first_size + size(item) <= self._most:
            self.first.append(item)
            self._first_size += size(item)
            return []
        self.last.append(item)
        self._last_size += size(item)
        given_up: list[T] = []
        while self._last_size > self._most and len(self.last) > 1:
            given_up.append(self.last.popleft())
            self._last_size -= size(given_up[-1])
        return given_up


class PrintedText:
    """A text in the order in which it was printed, compressed as it arrives.

    All results are kept. Of the rest, messages and unreadable text, the first and the last `most` characters are kept;
    a notice in place of the others reports how many were left out.
    """

    def __init__(self, *, most: int = KEPT_AT_EITHER_END) -> None:
        self._rest: _BothEnds[_Block] = _BothEnds(most=most)
        self._blocks: list[_Block] = []
        self._pending: list[str] = []
        self._pending_size = 0
        self._pending_is_result = False

    def add(self, text: str, *, is_result: bool) -> None:
        """Take the text that was printed next."""
        if is_result != self._pending_is_result or self._pending_size >= BLOCK:
            self._pack()
        self._pending.append(text)
        self._pending_size += len(text)
        self._pending_is_result = is_result

    def pieces(self, *, rest: str = "") -> Iterator[str]:
        """Yield all kept text, then `rest`. Text that is no result comes in one piece, up to the next result."""
        self._pack()
        between: list[str] = []
        left_out = sum(block.size for block in self._blocks if block.is_dropped)
        for block in self._blocks:
            if block.is_dropped:
                between += [f"({left_out:,} characters that are not results were left out here)\n"] * bool(left_out)
                left_out = 0
                continue
            text = zlib.decompress(block.content).decode()
            if not block.is_result:
                between.append(text)
                continue
            if between:
                yield "".join(between)
                between = []
            yield text
        if between or rest:
            yield "".join([*between, rest])

    def _pack(self) -> None:
        if not self._pending:
            return
        content = zlib.compress("".join(self._pending).encode())
        block = _Block(size=self._pending_size, content=content, is_result=self._pending_is_result)
        self._blocks.append(block)
        self._pending, self._pending_size = [], 0
        if not block.is_result:
            for dropped_block in self._rest.take(block, size=lambda block: block.size):
                dropped_block.content, dropped_block.is_dropped = b"", True


class Ends:
    """Lines, of which `most` characters are kept at either end; a notice between counts those that were left out."""

    def __init__(self, *, most: float = WORDS_AT_EITHER_END) -> None:
        self._ends: _BothEnds[str] = _BothEnds(most=most)
        self._left_out = 0

    def append(self, line: str) -> None:
        """Take the next line."""
        self._left_out += len(self._ends.take(line, size=lambda line: len(line) + 1))

    @property
    def lines(self) -> list[str]:
        """The kept lines, in their order."""
        notice = [f"({self._left_out:,} lines left out)"] if self._left_out else []
        return [*self._ends.first, *notice, *self._ends.last]
