"""The file of records: the bytes of each record, and the acknowledged records that are missing. Pure.

A record is `0000000001 TOKEN SHA256` and a line feed: its number, the writer's token, and the SHA-256 of both. The
records lie one behind the other and all have the same size, so that each has one place in the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import pairwise

MOST_RECORDS = 20_000
"""The number of records that a writer appends at the most. Together they stay far below what a kubelet keeps of a pod's
log (10 MiB by default)."""

MOST_BYTES = 2 * 1024**2
"""Bytes of a file that a reader prints at the most: more than all records together."""


def record(number: int, *, token: str) -> bytes:
    """Return the record of this number, from 1, with its line feed."""
    text = f"{number:010d} {token}"
    return f"{text} {hashlib.sha256(text.encode()).hexdigest()}\n".encode()


def lost_records(content: bytes, *, token: str, acknowledged_count: int) -> list[int]:
    """Return the numbers from 1 to `acknowledged_count` whose record is not intact at its place in `content`, in
    order."""
    size = len(record(1, token=token))
    return [
        number
        for number in range(1, acknowledged_count + 1)
        if content[(number - 1) * size : number * size] != record(number, token=token)
    ]


def whole_records(content: bytes, *, token: str) -> int:
    """Return the number of records that are intact at their places, acknowledged or not."""
    most = len(content) // len(record(1, token=token))
    return most - len(lost_records(content, token=token, acknowledged_count=most))


def ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the runs of consecutive numbers as (first, last); `numbers` rise."""
    sequence = list(numbers)
    if not sequence:
        return []
    breaks = [(before, after) for before, after in pairwise(sequence) if after != before + 1]
    firsts = [sequence[0], *(after for _, after in breaks)]
    lasts = [*(before for before, _ in breaks), sequence[-1]]
    return list(zip(firsts, lasts, strict=True))
