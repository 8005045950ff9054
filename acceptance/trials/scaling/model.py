"""The capacity model of many volumes: where the total stops growing, its value there, and what follows from it.

Source: the Longhorn 1.6 reference report. Once the devices are saturated, volumes share the total: with `x` per volume
and `y` volumes, `x * y = C`. Pure: nothing is measured here and nothing is judged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from acceptance.measuring.figures import figure, interval_of
from acceptance.results.scaling import CapacityRecord, Figure

GROWTH = 0.05
"""The share by which a total may be larger and counts as not grown: less is within what runs differ by.

The report's own totals wander by up to 3 % among steps that it calls saturated.
"""


def plateau(totals: Mapping[int, Figure]) -> int | None:
    """Return the first step (number of volumes) after which no later total is higher by more than noise.

    None if the last step still grew, or if there is only one step: nothing then shows that it would not grow.
    """
    pods = sorted(totals)
    for number, step in enumerate(pods[:-1]):
        if not any(_grew(totals[step], totals[later]) for later in pods[number + 1 :]):
            return step
    return None


def _grew(before: Figure, after: Figure) -> bool:
    """Return whether `after` is larger by more than GROWTH, and, if intervals are known, by more than their noise."""
    if before.high is not None and after.low is not None and after.low <= before.high:
        return False
    return after.mean > before.mean * (1 + GROWTH)


def capacity(totals: Mapping[int, Figure], *, confidence: float) -> CapacityRecord | None:
    """Return C of `x * y = C`: the mean of the totals from the plateau on, with its interval; None without a plateau.

    The steps are independent measurements, so each counts once and as it is, whatever its own interval: a reader of C
    wants to know how much they differ from each other. Below three steps there is no interval.
    """
    start = plateau(totals)
    if start is None:
        return None
    means = [totals[pods].mean for pods in sorted(totals) if pods >= start]
    return CapacityRecord(constant=figure(means, confidence=confidence, correlation=0.0), plateau_pods=start)


def sure_total(totals: Mapping[int, Figure], *, batch_s: int) -> float:
    """Return the total that may be required of volumes together so that noise has room: the lower end of C, from all
    batches of the totals that C is the mean of; of the last total if it still grew. Too few batches count as they are.
    `batch_s`: the length of the shortest."""
    start = plateau(totals) or max(totals)
    values = [value for pods, total in totals.items() if pods >= start for value in total.batches]
    interval = interval_of(values, batch_s=batch_s)
    return interval.mean if interval.low is None else interval.low


def volumes_at(constant: float, *, demand: float) -> int:
    """Return how many volumes can each have `demand` (in the unit of C): y = C / x, whole volumes only.

    Raises ValueError for a demand that is not above zero.
    """
    if not demand > 0.0:
        raise ValueError(f"expected a demand above zero, found {demand}")
    return math.floor(constant / demand)
