"""Earlier runs as tests need them: a night after the other, with the values that the test names."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from acceptance.limits.history import HistoryLimit
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


def noisy(count: int, *, noise: float, seed: int, fall_at: int | None = None, fall: float = 0.2) -> list[float]:
    """Lognormal values about 1000 of nights that do not know of each other; lower by `fall` from `fall_at` on."""
    return next(many_noisy(count, noise=noise, seed=seed, fall_at=fall_at, fall=fall))


def many_noisy(
    count: int, *, noise: float, seed: int, fall_at: int | None = None, fall: float = 0.2, alike: float = 0.0
) -> Iterator[list[float]]:
    """One sequence after the other; `alike`: the correlation between a night and the next."""
    source = random.Random(seed)
    while True:
        deviations = [source.gauss(0.0, noise)]
        while len(deviations) < count:
            new = source.gauss(0.0, noise * math.sqrt(1 - alike**2))
            deviations.append(alike * deviations[-1] + new)
        fallen = count if fall_at is None else fall_at
        yield [
            1000.0 * math.exp(deviation) * (1.0 if night < fallen else 1.0 - fall)
            for night, deviation in enumerate(deviations)
        ]


def limit(*, metric: str = "write.iops", margin: float = 0.10, runs: int = 7) -> HistoryLimit:
    """A limit on synchronous writes."""
    return HistoryLimit(
        profile="sync-write-iops",
        metric=Metric.parse(metric),
        margin=margin,
        runs=runs,
        because="databases wait for it",
    )
