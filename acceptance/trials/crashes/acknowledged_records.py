"""The file of records: what each must be, byte by byte, and which of those that were acknowledged are not there. Pure.

A record is `0000000001 TOKEN SHA256` and a line feed: its number, the writer's token, and the SHA-256 of both. They lie
one behind the other and are all of the same size, so that each has one place where it must be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import pairwise

MOST_RECORDS = 20_000
"""that a writer appends: together they stay far below what a kubelet keeps of a pod's log (10 MiB by default)"""

MOST_BYTES = 2 * 1024**2
"""of a file that a reader prints: more than all records are long"""


def record(number: int, *, token: str) -> bytes:
    """The record of this number, from 1, with its line feed."""
    text = f"{number:010d} {token}"
    return f"{text} {hashlib.sha256(text.encode()).hexdigest()}\n".encode()


def lost_records(content: bytes, *, token: str, acknowledged: int) -> list[int]:
    """The numbers from 1 to `acknowledged` whose record is not whole at its place in `content`, in order."""
    size = len(record(1, token=token))
    return [
        number
        for number in range(1, acknowledged + 1)
        if content[(number - 1) * size : number * size] != record(number, token=token)
    ]


def whole_records(content: bytes, *, token: str) -> int:
    """How many records are whole at their places, acknowledged or not."""
    most = len(content) // len(record(1, token=token))
    return most - len(lost_records(content, token=token, acknowledged=most))


def ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of numbers that follow each other, as (first, last); `numbers` rise."""
    listed = list(numbers)
    if not listed:
        return []
    breaks = [(before, after) for before, after in pairwise(listed) if after != before + 1]
    firsts = [listed[0], *(after for _, after in breaks)]
    lasts = [*(before for before, _ in breaks), listed[-1]]
    return list(zip(firsts, lasts, strict=True))
