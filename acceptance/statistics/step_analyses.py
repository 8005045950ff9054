"""When a scale run may be judged, and how sure each look must be: fixed before the first sample is taken.

What the figures promise, and how they were chosen: docs/scaling.md.
"""

from __future__ import annotations

WRONG = 0.01
"""The chance, over all looks, that storage exactly at its limit passes; the same holds for a wrong fail."""
CORRELATION = 0.5
"""The correlation between neighbouring batches of 2 s and more that an interval allows for: more than they have where
neighbouring seconds are correlated by that (0.38 and less), which is room for what few batches do not tell."""
OF_SECONDS, OF_SECONDS_ALONE = 0.55, 0.62
"""The same for batches of single seconds, of a ratio and of a value. There is no such room: of few values that
are correlated the spread comes out too small, and Student's t counts them as if each told all that it could. Skewed
noise is worse for a value than for a ratio, in which it is on both sides. Found by simulation (docs/scaling.md)."""

STEP_LOOKS = (1, 3)
"""How long a step is measured, in windows as asked for: what its limits leave open is measured anew, for longer."""
RATE_LOOKS = (3, 6, 10)
"""The same of the run at a set rate, where only time tells whether volumes stay level with their rate."""

ONE_LOOK_CONFIDENCE = 1 - 2 * WRONG
"""Of a two-sided interval that is looked at once."""
CONFIDENCE = 1 - 2 * WRONG / len(STEP_LOOKS)
"""Of every two-sided interval of a step, from an even split of the budget (Bonferroni's inequality)."""
RATE_CONFIDENCE = 1 - 2 * WRONG / len(RATE_LOOKS)
"""Likewise of the share that a volume gets of its rate."""


def ratio_correlation(batch_s: int) -> float:
    """Allowed for in the ratio of two steps, by the length of their batches."""
    return OF_SECONDS if batch_s < 2 else CORRELATION


def value_correlation(batch_s: int) -> float:
    """Allowed for in a value of one step, by the length of its batches."""
    return OF_SECONDS_ALONE if batch_s < 2 else CORRELATION


def step_windows_s(window_s: float) -> list[float]:
    """How long a step is measured at each look, in s, each time from anew."""
    return [look * window_s for look in STEP_LOOKS]


def rate_windows_s(window_s: float) -> list[float]:
    """How long the run at a set rate lasts at each look, in s, each time from anew."""
    return [look * window_s for look in RATE_LOOKS]
