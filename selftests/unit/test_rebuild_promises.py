"""What is promised of the foreground of a rebuild, in simulation: lognormal seconds that resemble their neighbours."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean

import pytest

from acceptance.judging.rebuilds import judge_rebuild
from acceptance.limits.rebuilds import rebuild_limit
from acceptance.measuring.figures import figure
from acceptance.measuring.windows import batch_length
from acceptance.results.rebuilds import ForegroundRecord
from acceptance.results.requirement import Decision
from acceptance.results.scaling import Figure
from acceptance.statistics.intervals import correlation_of_batches
from acceptance.statistics.step_analyses import ONE_LOOK_CONFIDENCE
from selftests.unit.rebuild_records import foreground, record

RUNS = 1000
LIMIT = rebuild_limit("full-data", "foreground_iops", 1.0, because="users notice")


def batches(random: Random, *, seconds: int, length_s: int, cv: float, correlation: float) -> Figure:
    sigma, fresh = math.sqrt(math.log(1 + cv**2)), math.sqrt(1 - correlation**2)
    noise = [random.gauss(0, 1)]
    while len(noise) < seconds:
        noise.append(correlation * noise[-1] + fresh * random.gauss(0, 1))
    rates = [1000 * math.exp(sigma * each - sigma**2 / 2) for each in noise]
    means = [fmean(rates[start : start + length_s]) for start in range(0, seconds - length_s + 1, length_s)]
    return figure(means, confidence=ONE_LOOK_CONFIDENCE, correlation=correlation_of_batches(length_s))


@pytest.mark.parametrize("seconds", [8, 20, 30])
@pytest.mark.parametrize(("cv", "correlation"), [(0.05, 0.5), (0.30, 0.5)])
def test_a_foreground_at_its_limit_passes_and_fails_in_at_most_1_percent(
    seconds: int, cv: float, correlation: float
) -> None:
    random, length_s = Random(seconds), batch_length(seconds)
    found: dict[Decision, int] = {"pass": 0, "fail": 0, "inconclusive": 0}
    for _ in range(RUNS):
        made = [batches(random, seconds=seconds, length_s=length_s, cv=cv, correlation=correlation) for _ in range(2)]
        load: ForegroundRecord = foreground().model_copy(
            update={"iops_before": made[0], "iops_during": made[1], "batch_s": length_s}
        )
        found[judge_rebuild(record(foreground=load), LIMIT).status] += 1  # type: ignore[index]
    assert max(found["pass"], found["fail"]) <= (0.01 + 0.006) * RUNS
