"""How records that are missing, and times between two polls, read in sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.text.quantities import format_quantity

SHOWN_RANGES = 5

Ranges = Sequence[Sequence[int]]
"""the first and the last number of each range"""


def ranges_in_words(ranges: Ranges) -> str:
    """`7, 12 to 19 and 3 more places`"""
    shown = [f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in ranges[:SHOWN_RANGES]]
    more = len(ranges) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more place{'s' * (more > 1)}" if more else "")


def count_in(ranges: Ranges) -> int:
    """How many numbers the ranges hold."""
    return sum(last - first + 1 for first, last in ranges)


def shown_time(seconds: float) -> str:
    """`58.2 s`, `6.4 min`: to the tenth of a second, for polls are not closer together."""
    return f"{seconds:.1f} s" if seconds < 60 else format_quantity(round(seconds, 1), unit="s")
