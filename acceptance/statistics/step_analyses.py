"""The interim analyses of a scale run, and the confidence of each: fixed before the first sample is taken.

docs/scaling.md explains the promises of the figures, and how they were chosen.
"""

from __future__ import annotations

WRONG = 0.01
"""The chance, over all interim analyses, that storage exactly at its limit passes; a wrong fail has the same."""
CORRELATION = 0.5
"""The correlation between neighbouring batches of 2 s and more that an interval allows for. Batches have less (0.38 and
less) if neighbouring seconds are correlated by 0.5; the difference covers what few batches do not show."""
OF_SECONDS, OF_SECONDS_ALONE = 0.55, 0.62
"""The correlation that is allowed for between batches of single seconds, of a ratio and of a value. Here the difference
is missing: the spread of a few correlated values is too small, and Student's t counts them as independent. Skewed noise
is worse for a value than for a ratio, which has it on both sides. Found by simulation (docs/scaling.md)."""

STEP_LOOKS = (1, 3)
"""The durations of a step, in windows as set: if its limits remain undecided, it is measured again, for longer."""
RATE_LOOKS = (3, 6, 10)
"""The durations of the run at a set rate, in windows: only time shows if volumes keep up with their rate."""

ONE_LOOK_CONFIDENCE = 1 - 2 * WRONG
"""The confidence of a two-sided interval that is analysed once."""
CONFIDENCE = 1 - 2 * WRONG / len(STEP_LOOKS)
"""The confidence of every two-sided interval of a step: an even split of the budget (Bonferroni's inequality)."""
RATE_CONFIDENCE = 1 - 2 * WRONG / len(RATE_LOOKS)
"""The confidence of the share that a volume reaches of its rate, from such a split."""


def ratio_correlation(batch_s: int) -> float:
    """Return the correlation that is allowed for in the ratio of two steps, by the length of their batches."""
    return OF_SECONDS if batch_s < 2 else CORRELATION


def value_correlation(batch_s: int) -> float:
    """Return the correlation that is allowed for in a value of one step, by the length of its batches."""
    return OF_SECONDS_ALONE if batch_s < 2 else CORRELATION


def step_windows_s(window_s: float) -> list[float]:
    """Return how long a step is measured for each interim analysis, in s, each time from the start."""
    return [look * window_s for look in STEP_LOOKS]


def rate_windows_s(window_s: float) -> list[float]:
    """Return how long the run at a set rate lasts for each interim analysis, in s, each time from the start."""
    return [look * window_s for look in RATE_LOOKS]
