"""What runs of an unchanged class differ by: told from the nights of a history, and called neither better nor worse."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from acceptance.report.comparing.between_runs import with_between_run_noise
from acceptance.report.comparing.differences import differences
from acceptance.report.comparing.model import Finding
from acceptance.results.document import Results
from acceptance.results.history import KeptMetric
from acceptance.results.history_file import History
from acceptance.results.history_series import record_of
from selftests.unit.compared_runs import class_of, cluster, estimate, measured, run_of

TEXTS = {"sync-write-iops": "[job]"}


def run(iops: float) -> Results:
    """A run that knows its own value to 1 %."""
    return run_of(
        measured({"write.iops": estimate(iops, by=1.01)}),
        where=cluster(class_of()).model_copy(update={"identity": "0d1e"}),
        settings={"baseline_class": None, "volume_mode": "filesystem"},
        texts=TEXTS,
    )


def history(values: list[float]) -> History:
    one = record_of(run(1.0), profiles=TEXTS)
    (measurement,) = one.measurements
    nights = []
    for number, value in enumerate(values):
        metrics = {"write.iops": KeptMetric(mean=value, low=None, high=None, unit="1/s", of_baseline=None)}
        kept = measurement.model_copy(update={"metrics": metrics})
        nights.append(one.model_copy(update={"run": f"night-{number}", "measurements": [kept]}))
    return History(path=Path(), runs=tuple(nights))


def findings(*, noise: float, fall: float, pairs: int, nights: int) -> list[Finding]:
    """Of so many pairs of runs that differ by `noise`, the second one after a fall, with so many nights before."""
    source, told = random.Random(9), []
    for _ in range(pairs):
        values = [1000.0 * math.exp(source.gauss(0.0, noise)) for _ in range(nights + 2)]
        first, second = run(values[-2]), run(values[-1] * (1.0 - fall))
        (found,) = differences(first, second, ("fast", "fast"))
        each = with_between_run_noise(
            found, (first, first.measurements[0]), (second, second.measurements[0]), history(values[:-2])
        )
        assert each.change is not None and found.change is not None
        assert each.change.low <= found.change.low and each.change.high >= found.change.high
        told.append(each.finding)
    return told


@pytest.mark.parametrize(
    ("noise", "fall", "least", "most"), [(0.05, 0.0, 0.0, 0.08), (0.10, 0.0, 0.0, 0.08), (0.05, 0.3, 0.9, 1.0)]
)
def test_an_unchanged_class_is_seldom_called_better_or_worse_and_a_large_fall_is(
    noise: float, fall: float, least: float, most: float
) -> None:
    """From one run each 56 and 76 % would be, of runs that differ by 5 and 10 %."""
    told = findings(noise=noise, fall=fall, pairs=120, nights=30)
    assert least <= sum(each in ("better", "worse") for each in told) / len(told) <= most


def test_without_a_history_nothing_is_called_better_or_worse() -> None:
    assert not {"better", "worse"} & set(findings(noise=0.10, fall=0.3, pairs=20, nights=0))
