"""A cache that lies in bursts is convicted of what it does in all, also in turn with the local disk: in simulation."""

from __future__ import annotations

import pytest

from acceptance.measuring.measure import BySegment
from acceptance.measuring.rest import is_in_a_lull
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import LONGEST_S
from acceptance.trials.speed.findings import Finding
from selftests.unit.made_limits import made_rule
from selftests.unit.simulated_credits import Bursts, finding, steady
from selftests.unit.simulated_load import second
from selftests.unit.simulated_standstills import at_least, profile

LOCAL = 500.0
LOW = 0.05
RUNS = 10
RULE = made_rule(
    profile="writes",
    metric=Metric.parse("write.iops"),
    kind="not_better_than_baseline_by",
    margin=0.2,
    because="it has not written it yet",
)
# By how many times it is faster until it is full, for how long, and each how many seconds: 1.5 to 2.1 times in all.
# (What is more than three times faster can be taken for slow where both loads begin between two bursts.)
KINDS = ((3.0, 3.0, 6.0), (4.0, 2.0, 5.0), (3.0, 6.0, 10.0), (3.5, 7.0, 13.0), (4.0, 10.0, 19.0))


def compared(kind: tuple[float, float, float], *, seed: int, durable: bool) -> Finding:
    high, for_s, each_s = kind
    cache = Bursts(high=LOCAL * high, low=LOCAL * LOW, for_s=for_s, each_s=each_s, since_s=seed * each_s / RUNS)
    local = steady(rate=LOCAL, seed=seed)
    limits = [at_least(1.3 * LOCAL)]  # near enough for a load that sees more than one burst
    return finding(cache, profile(durable=durable), limits=limits, rules=[RULE], local=local, longest_s=LONGEST_S)


@pytest.mark.parametrize("durable", [False, True], ids=["others", "durable"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_does_more_in_all_is_convicted_and_never_passes(kind: tuple[float, float, float], durable: bool) -> None:
    """The mean of the logarithms of its seconds says 0.39 of the first: that convicted none of 1,200."""
    verdicts = [compared(kind, seed=seed, durable=durable).compare(RULE) for seed in range(1, RUNS + 1)]
    statuses = [verdict.status for verdict in verdicts]
    assert "pass" not in statuses
    assert statuses.count("fail") >= 0.6 * RUNS


def load(rate: float) -> BySegment:
    return [[second("write", rate=rate, block_size=4096)] * 4]


def test_less_than_half_of_what_it_does_without_a_pause_is_a_lull() -> None:
    assert [is_in_a_lull(load(rate), load(1000)) for rate in (10, 490, 510, 3000)] == [True, True, False, False]
    assert not is_in_a_lull(load(10), [])
