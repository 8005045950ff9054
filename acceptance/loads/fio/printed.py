"""What a load generator printed, kept within bounds however long it prints: results packed, of the rest both ends."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

# Characters of what is no result: at the beginning, and as much again at the end.
KEPT_AT_EITHER_END = 32 * 1024**2
# Of a load generator's own words, which go into errors.
WORDS_AT_EITHER_END = 64 * 1024
# fio's documents are much alike: packed some at a time they take half of what each of them would.
BLOCK = 128 * 1024
T = TypeVar("T")


@dataclass(slots=True)
class _Block:
    size: int
    packed: bytes
    is_result: bool
    dropped: bool = False


class _BothEnds(Generic[T]):
    """`first`: what came up to a size of `most` in all; `last`: of what came then the latest, up to as much again."""

    def __init__(self, *, most: float) -> None:
        self._most = most
        self.first: list[T] = []
        self.last: deque[T] = deque()
        self._first_size = self._last_size = 0

    def take(self, item: T, *, size: Callable[[T], int]) -> list[T]:
        """Keep it, and give up what came longest ago after `first`: that is returned."""
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


class Printed:
    """A text in the order in which it was printed, packed as it comes.

    Results are kept all. Of the rest, messages and what nobody can read, `most` characters are kept from the beginning
    on and the last `most`; how many were left out is said in their place.
    """

    def __init__(self, *, most: int = KEPT_AT_EITHER_END) -> None:
        self._rest: _BothEnds[_Block] = _BothEnds(most=most)
        self._blocks: list[_Block] = []
        self._pending: list[str] = []
        self._pending_size = 0
        self._pending_is_result = False

    def add(self, text: str, *, is_result: bool) -> None:
        """Take what was printed next."""
        if is_result != self._pending_is_result or self._pending_size >= BLOCK:
            self._pack()
        self._pending.append(text)
        self._pending_size += len(text)
        self._pending_is_result = is_result

    def pieces(self, *, rest: str = "") -> Iterator[str]:
        """All that is kept, and `rest` after it. What is no result comes in one piece, up to the next result."""
        self._pack()
        between: list[str] = []
        left_out = sum(block.size for block in self._blocks if block.dropped)
        for block in self._blocks:
            if block.dropped:
                between += [f"({left_out:,} characters that were no results were left out here)\n"] * bool(left_out)
                left_out = 0
                continue
            text = zlib.decompress(block.packed).decode()
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
        packed = zlib.compress("".join(self._pending).encode())
        block = _Block(size=self._pending_size, packed=packed, is_result=self._pending_is_result)
        self._blocks.append(block)
        self._pending, self._pending_size = [], 0
        if not block.is_result:
            for each in self._rest.take(block, size=lambda block: block.size):
                each.packed, each.dropped = b"", True


class Ends:
    """Lines, of which so many characters are kept at either end; how many lines were left out is said between."""

    def __init__(self, *, most: float = WORDS_AT_EITHER_END) -> None:
        self._kept: _BothEnds[str] = _BothEnds(most=most)
        self._left_out = 0

    def append(self, line: str) -> None:
        """Take the next line."""
        self._left_out += len(self._kept.take(line, size=lambda line: len(line) + 1))

    @property
    def lines(self) -> list[str]:
        """Those that are kept, in their order."""
        told = [f"({self._left_out:,} lines left out)"] if self._left_out else []
        return [*self._kept.first, *told, *self._kept.last]
