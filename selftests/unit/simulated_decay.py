"""Storage that gets slower the longer it is written to, as a fresh SSD or one that warms up does.

Loaded by the simulated fio of `simulated_standstills`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from random import Random

from selftests.unit.simulated_standstills import UNTIL_S

Share = Callable[[float], float]
"""what it does so many seconds after the beginning, as a share of its rate"""


class Decaying:
    """`rate` operations a second times `share`, with noise as that of `Standstills`; whether or not it is loaded."""

    def __init__(self, share: Share, *, rate: float, noise: float, seed: int) -> None:
        random, value, each = Random(seed), 0.0, []
        for second in range(math.ceil(UNTIL_S) + 1):
            value = 0.3 * value + math.sqrt(1 - 0.3**2) * random.gauss(0, 1)
            each.append(rate * share(second + 0.5) * max(0.0, 1 + noise * value))
        self._done = list(accumulate(each, initial=0.0))

    def begin(self, at_s: float) -> None:
        """A load begins: that changes nothing."""

    def end(self, at_s: float) -> None:
        """As for `begin`."""

    def awake(self, at_s: float) -> float:
        """It never stands still."""
        return at_s

    def waits(self, begin_s: float, end_s: float) -> Counter[int]:
        """Nothing waits for long."""
        return Counter()

    def done(self, at_s: float) -> float:
        """Operations until then."""
        second = int(at_s)
        return self._done[second] + (at_s - second) * (self._done[second + 1] - self._done[second])
