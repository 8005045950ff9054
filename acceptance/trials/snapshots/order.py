"""Records in several files, which took them in turn: which are whole, and whether they are those of one moment. Pure.

Each record was made durable before the next was begun. So what a volume held at any one moment is all records up to
some number, and of the one after it a part at most: a prefix of the order of writing. The files lie in folders of their
own, which file systems spread over a volume, so that a copy of its parts at different moments shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.trials.crashes.acknowledged_records import record


@dataclass(frozen=True, kw_only=True)
class Held:
    """What files hold. `last`: the number of the last record of which anything is there; 0: nothing is.

    `lost`: acknowledged and not whole; `holes`: not whole, though of a later one something is there.
    """

    whole: int
    last: int
    lost: list[int]
    holes: list[int]


def held_in(files: Sequence[bytes], *, token: str, acknowledged: int) -> Held:
    """What the files hold of the records that the writer with this token wrote to them, one to each in turn."""
    size, many = len(record(1, token=token)), len(files)
    last = max(
        (((len(content) - 1) // size) * many + place for place, content in enumerate(files, 1) if content), default=0
    )
    broken = []
    for number in range(1, max(last, acknowledged) + 1):
        row, place = divmod(number - 1, many)
        if files[place][row * size : (row + 1) * size] != record(number, token=token):
            broken.append(number)
    return Held(
        whole=max(last, acknowledged) - len(broken),
        last=last,
        lost=[number for number in broken if number <= acknowledged],
        holes=[number for number in broken if number < last],
    )
