"""Earlier runs as tests need them: a night after the other, with the values that the test names."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from acceptance.limits.history import history_limit
from acceptance.limits.limit import Limit
from acceptance.results.history import TrendPoint
from acceptance.results.metrics import Metric

FIRST_NIGHT = datetime(2026, 11, 1, 2, 0, tzinfo=UTC)


def nights(values: Sequence[float], *, within: float = 0.0) -> list[TrendPoint]:
    """A run for each value; `within`: how far its interval reaches up and down, as a share."""
    return [
        TrendPoint(
            run=f"run-{number}",
            date=FIRST_NIGHT + timedelta(days=number),
            mean=value,
            low=value / (1 + within) if within else None,
            high=value * (1 + within) if within else None,
        )
        for number, value in enumerate(values)
    ]


def noisy(count: int, *, noise: float, seed: int) -> list[float]:
    """Lognormal values about 1000 of nights that do not know of each other."""
    source = random.Random(seed)
    return [1000.0 * math.exp(source.gauss(0.0, noise)) for _ in range(count)]


def limit(*, metric: str = "write.iops", margin: float = 0.10, runs: int = 14) -> Limit:
    """A limit on synchronous writes."""
    return history_limit(
        "sync-write-iops", Metric.parse(metric), margin=margin, runs=runs, because="databases wait for it"
    )
