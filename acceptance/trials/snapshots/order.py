"""Records in several files, which were written in turn: which are intact, and whether they are crash-consistent. Pure.

Each record was made durable before the next was begun. So at any point in time a volume holds all records up to some
number, and at most a part of the next record: a prefix of the order of writing. The files lie in folders of their own,
which file systems spread over a volume, so that a copy of its parts at different times shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.trials.crashes.acknowledged_records import record


@dataclass(frozen=True, kw_only=True)
class FileContents:
    """The records in files. `last`: the number of the last record of which anything is there; 0: nothing is.

    `lost_numbers`: acknowledged and not intact; `holes`: not intact, although something of a later record is there.
    """

    whole: int
    last: int
    lost_numbers: list[int]
    holes: list[int]


def contents_of(files: Sequence[bytes], *, token: str, acknowledged_count: int) -> FileContents:
    """Return what the files hold of the records that the writer with this token wrote to them, one to each file in
    turn."""
    size, many = len(record(1, token=token)), len(files)
    last = max(
        (((len(content) - 1) // size) * many + place for place, content in enumerate(files, 1) if content), default=0
    )
    bad_numbers = []
    for number in range(1, max(last, acknowledged_count) + 1):
        row, place = divmod(number - 1, many)
        if files[place][row * size : (row + 1) * size] != record(number, token=token):
            bad_numbers.append(number)
    return FileContents(
        whole=max(last, acknowledged_count) - len(bad_numbers),
        last=last,
        lost_numbers=[number for number in bad_numbers if number <= acknowledged_count],
        holes=[number for number in bad_numbers if number < last],
    )
