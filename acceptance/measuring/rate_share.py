"""The share that a load reached of a set rate, and how far that share may mislead. Pure.

A rate limiter makes up for an earlier deficit, so seconds are not independent noise. The total counts, from the
beginning of the load, when there was no deficit. Two kinds of storage are distinguished. Storage that keeps up has a
deficit now and then and makes up for it; the deficit at the end is chance. Storage that does not keep up delivers all
it can: its deficit wanders, as sums of noise do, or grows. docs/scaling.md says how often one is taken for the other.
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

# A sum of n steps wanders by at most WANDERS_TIMES times sqrt(n) steps. Its step is one that most seconds (MOST) do
# not exceed: with storage that keeps up, the deficit stays the same in most seconds, whatever happens in the others.
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
    """Return the share of the requested operations that were done, from the load's beginning to the window's end.

    `head`: the samples before the first one, as far as they are known. `low` is the share minus the possible wandering
    of the deficit. `high` is the upper bound from batches of `length_s`, which are noise if the storage delivers all
    it can: that of a two-sided interval of `confidence`, which allows for `correlation` between neighbours. It is None
    if there are too few batches.
    """
    demand, deficits = 0.0, [0.0]
    for timed_sample in [*head, *samples]:
        if timed_sample.end_s <= window.end_s:
            seconds = timed_sample.sample.duration_s
            demand += rate * seconds
            deficits.append(deficits[-1] + (rate - (metric_value(metric, [timed_sample.sample]) or 0.0)) * seconds)
    share = 1 - deficits[-1] / demand
    values = batch_values(metric, samples, window, length_s=length_s) or []
    batches = [value / rate for value in values]
    high = figure(batches, confidence=confidence, correlation=correlation).high if batches else None
    return Figure(
        mean=share,
        low=max(0.0, share - _wandering(deficits) / demand),
        high=None if high is None else max(share, high),
        batches=batches,
    )


def _wandering(deficits: Sequence[float]) -> float:
    """Return how far the deficit may wander if each second adds to it as much as most seconds do."""
    steps = sorted(abs(after - before) for before, after in pairwise(deficits))
    return WANDERS_TIMES * math.sqrt(len(steps)) * steps[math.floor(MOST * len(steps))]
