"""The longest time in which no record became durable. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from acceptance.trials.crashes.writer import Arrival


def longest_gap(moments: Sequence[Arrival], *, since: int) -> float | None:
    """Return the longest time in s between one record and the next, from the record with number `since` on; None for
    fewer than two records.

    Records that never arrived here, such as those of a log that was cut off, make no gap.
    """
    recent = [moment for moment in moments if moment[1] >= since]
    return max((later[0] - before[0] for before, later in pairwise(recent) if later[1] == before[1] + 1), default=None)
