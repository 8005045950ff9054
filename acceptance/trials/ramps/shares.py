"""Shares of many: how long half, nine tenths and all but one in a hundred took."""

from __future__ import annotations

import math
from collections.abc import Sequence


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The smallest of `values` that at least `share` of them do not exceed (the nearest rank: no value in
    between is made up).

    Raises ValueError where there are none.
    """
    if not values:
        raise ValueError("wanted at least one value, found none")
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]
