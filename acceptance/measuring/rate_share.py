"""The share that a load got of a set rate, and how far that may mislead. Pure.

A rate limiter makes up for what it lacked before, so seconds are no independent noise, and the total counts: from the
beginning of the load on, when nothing was owed. Two kinds of storage are told apart. One that keeps up owes something
now and then and is level with its rate again; what it owes at the end is chance. One that does not keep up gives all it
can: what is owed wanders, as sums of noise do, or grows. How often either is taken for the other: docs/scaling.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from acceptance.measuring.figures import figure
from acceptance.measuring.metric_values import metric_value
from acceptance.measuring.windows import TimedSample, Window, batch_values
from acceptance.results.metrics import Metric
from acceptance.results.scaling import Figure

# A sum of n steps wanders by no more than so many times sqrt(n) steps. Its step is one that most seconds do not exceed:
# of storage that keeps up most seconds owe as much as the one before, whatever becomes of the others.
WANDERS_TIMES, MOST = 4, 0.7


def share_of_rate(
    samples: Sequence[TimedSample],
    *,
    head: Sequence[TimedSample] = (),
    metric: Metric,
    rate: float,
    window: Window,
    length_s: int,
    confidence: float,
    correlation: float,
) -> Figure:
    """The share of all that it was asked for, from its beginning to the end of the window.

    `head`: what was done before the first sample, as far as that is known. `low` lacks as much as what is owed may
    wander. `high` is the upper bound from its batches of `length_s`, which are noise if it gives all it can: that of a
    two-sided interval of `confidence`, which allows for `correlation` between neighbours. None where too few tell.
    """
    asked, owed = 0.0, [0.0]
    for each in [*head, *samples]:
        if each.end_s <= window.end_s:
            seconds = each.sample.duration_s
            asked += rate * seconds
            owed.append(owed[-1] + (rate - (metric_value(metric, [each.sample]) or 0.0)) * seconds)
    share = 1 - owed[-1] / asked
    values = batch_values(metric, samples, window, length_s=length_s) or []
    batches = [value / rate for value in values]
    high = figure(batches, confidence=confidence, correlation=correlation).high if batches else None
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
