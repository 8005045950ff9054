"""Missing records, and times between two polls, as text for sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.text.quantities import format_quantity

SHOWN_RANGES = 5

Ranges = Sequence[Sequence[int]]
"""The first and the last number of each range."""


def ranges_in_words(ranges: Ranges) -> str:
    """Return the ranges as text, such as `7, 12 to 19 and 3 more ranges`."""
    range_texts = [f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in ranges[:SHOWN_RANGES]]
    more = len(ranges) - len(range_texts)
    return ", ".join(range_texts) + (f" and {more:,} more range{'s' * (more > 1)}" if more else "")


def count_in(ranges: Ranges) -> int:
    """Return the number of numbers in the ranges."""
    return sum(last - first + 1 for first, last in ranges)


def shown_time(seconds: float) -> str:
    """Return a time such as `58.2 s` or `6.4 min`, to a tenth of a second, because polls are not closer together."""
    return f"{seconds:.1f} s" if seconds < 60 else format_quantity(round(seconds, 1), unit="s")
