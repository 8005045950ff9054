"""The share that a volume got of a set rate, and how far that may mislead. Pure.

A rate limiter makes up for what it lacked before, so seconds are no independent noise, and the total counts: from the
beginning of the load on, when nothing was owed. Two kinds of storage are told apart. One that keeps up owes something
now and then and is level with its rate again; what it owes at the end is chance. One that does not keep up gives all it
can: what is owed wanders, as sums of noise do, or grows. How often either is taken for the other: docs/scaling.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from acceptance.measuring.figures import interval_of
from acceptance.measuring.metric_values import metric_value
from acceptance.measuring.windows import Window, batch_length, batch_values
from acceptance.results.metrics import Metric
from acceptance.results.scaling import Figure
from acceptance.statistics.step_analyses import RATE_CONFIDENCE
from acceptance.trials.scaling.loaded_volume import LoadedVolume

# A sum of n steps wanders by no more than so many times sqrt(n) steps. Its step is one that most seconds do not exceed:
# of storage that keeps up most seconds owe as much as the one before, whatever becomes of the others.
WANDERS_TIMES, MOST = 4, 0.7


def share_of_rate(loaded: LoadedVolume, *, metric: Metric, rate: float, window: Window, of: int) -> Figure:
    """The share of all that it was asked for, from its beginning to the end of the window.

    `low` lacks as much as what is owed may wander. `high` is the upper bound from its batches, which are independent
    noise if it gives all it can; of `of` volumes the slowest is slow by chance no more often than a single one
    (Bonferroni's inequality). None where too few batches tell.
    """
    asked, owed = 0.0, [0.0]
    for each in [*loaded.head, *loaded.samples]:
        if each.end_s <= window.end_s:
            seconds = each.sample.duration_s
            asked += rate * seconds
            owed.append(owed[-1] + (rate - (metric_value(metric, [each.sample]) or 0.0)) * seconds)
    share = 1 - owed[-1] / asked
    values = batch_values(metric, loaded.samples, window, length_s=batch_length(window.length_s)) or []
    batches = [value / rate for value in values]
    high = interval_of(batches, confidence=1 - (1 - RATE_CONFIDENCE) / of).high
    return Figure(
        mean=share,
        low=max(0.0, share - _wandering(owed) / asked),
        high=None if high is None else max(share, high),
        batches=batches,
    )


def _wandering(owed: Sequence[float]) -> float:
    """How far what is owed may wander if each second adds to it what most seconds do."""
    steps = sorted(abs(after - before) for before, after in pairwise(owed))
    return WANDERS_TIMES * math.sqrt(len(steps)) * steps[math.floor(MOST * len(steps))]
