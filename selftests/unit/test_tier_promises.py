"""What runs of a whole tier say of storage whose pace changes over minutes: hardly ever something wrong."""

from __future__ import annotations

import pytest

from selftests.unit.simulated_paces import RATE, STORAGES
from selftests.unit.simulated_tier import run_tier

RUNS = 3
"""Of 18 limits each: `benchmarks/storages.py --only tiers` runs more."""
STEADY = ["noise of 5 %", "noise of 15 %"]
UNSTEADY = [name for name in STORAGES if name not in STEADY and not name.startswith("warms")]


def statuses(name: str, times: float, *, runs: int = RUNS) -> list[str]:
    """The verdicts of some runs on storage that does `times` what each limit asks for."""
    verdicts = [run_tier(STORAGES[name](seed), rate=RATE / times)[0] for seed in range(1, runs + 1)]
    return [verdict.status for each in verdicts for verdict in each]


@pytest.mark.parametrize("name", UNSTEADY)
@pytest.mark.parametrize(("times", "wrong"), [(0.95, "pass"), (1.05, "fail")], ids=["short", "over"])
def test_of_what_changes_by_the_minute_at_most_two_percent_are_wrong(name: str, times: float, wrong: str) -> None:
    found = statuses(name, times)
    assert found.count(wrong) <= 0.02 * len(found)


@pytest.mark.parametrize("name", STEADY)
def test_sound_storage_is_decided(name: str) -> None:
    assert set(statuses(name, 1.1)) == {"pass"}
    assert set(statuses(name, 0.9)) == {"fail"}


@pytest.mark.parametrize("name", [name for name in STORAGES if name.startswith("warms")])
def test_what_warms_up_is_not_failed(name: str) -> None:
    found = statuses(name, 1.1)
    assert "fail" not in found and found.count("pass") >= 0.9 * len(found)
