"""Interim analyses of growing data: the confidence of each, so that all together keep a budget of error.

Such analyses share most of their data, so one of two neighbours is seldom wrong alone. Bonferroni's inequality counts
errors of both twice. Hunter's does not, and is an inequality as well: the chance that any analysis is wrong is at most
the sum of all chances minus that of each two neighbours to be wrong together (Hunter, Journal of Applied Probability
13, 1976, 597; Worsley, Biometrika 69, 1982, 297).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from statistics import NormalDist

_NORMAL = NormalDist()
_PARTS = 32
"""The parts of an integral by Simpson's rule; the function is smooth, and the error below 1e-9 of the integral."""
_HALVINGS = 50


@cache
def even_chance(seconds: Sequence[int], *, budget: float) -> float:
    """Return the chance of error of each analysis, equal for all, so that together they keep the budget.

    `seconds`: load at each analysis, rising. Raises ValueError if there is none, or for a budget outside of 0 to 0.5.
    """
    if not seconds or not 0.0 < budget < 0.5:
        raise ValueError(f"expected looks, and a chance above 0 and below 0.5, found {seconds} and {budget}")
    least, most = (_NORMAL.inv_cdf(1.0 - budget / share) for share in (1, len(seconds)))
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        least, most = (middle, most) if chance_of_any(seconds, beyond=middle) > budget else (least, middle)
    return 1.0 - _NORMAL.cdf(most)


def chance_of_any(seconds: Sequence[int], *, beyond: float) -> float:
    """Return a bound of the chance that any analysis finds a mean `beyond` standard errors above the truth."""
    first = 1.0 - _NORMAL.cdf(beyond)
    return first + sum(_only_the_later(beyond, math.sqrt(earlier / later)) for earlier, later in pairwise(seconds))


def _only_the_later(beyond: float, correlation: float) -> float:
    """Return the chance that only the second of two correlated normal means is `beyond` standard errors off.

    It is twice Owen's T (Annals of Mathematical Statistics 27, 1956, 1075) of `beyond` and sqrt((1 - r) / (1 + r)). The
    means after a and b seconds of the same load are correlated by sqrt(a/b).
    """
    width = math.sqrt((1.0 - correlation) / (1.0 + correlation)) / _PARTS
    squares = [1.0 + (place * width) ** 2 for place in range(_PARTS + 1)]
    values = [math.exp(-(beyond**2) * square / 2) / square for square in squares]
    simpson = values[0] + 4 * math.fsum(values[1::2]) + 2 * math.fsum(values[2:-1:2]) + values[-1]
    return width / 3 * simpson / math.pi
