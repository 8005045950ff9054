"""What a run says of storage that serves a volume and its neighbours from one queue, or in turn. Seeded."""

from __future__ import annotations

import pytest

from selftests.unit.simulated_neighbours import SharedStorage, verdicts
from selftests.unit.test_neighbours import limit

FEW = 5
# Alone 400 operations a second are 2.5 ms each; of one queue for all each waits for 128 others, 320 ms.
BOTH = (limit(value=0.1), limit("growth_beside_neighbours", value=20.0))


def test_neighbours_starve_a_volume_where_all_share_one_queue() -> None:
    for seed in range(FEW):
        found = verdicts(SharedStorage(iops=400, turns=False), *BOTH, seed=seed)
        assert [each.status for each in found] == ["fail", "fail"], [each.reason for each in found]


def test_a_volume_passes_where_each_has_its_turn() -> None:
    for seed in range(FEW):
        found = verdicts(SharedStorage(iops=400, turns=True, cv=0.3), *BOTH, seed=seed)
        assert [each.status for each in found] == ["pass", "pass"], [each.reason for each in found]


def test_a_volume_that_is_served_late_but_served_keeps_its_rate() -> None:
    """A limit that even one queue for all keeps: what waits in the queue is still owed."""
    for seed in range(FEW):
        (found,) = verdicts(SharedStorage(iops=400, turns=False), limit(value=5.0), seed=seed)
        assert found.status == "pass", found.reason


@pytest.mark.parametrize("turns", [True, False])
def test_storage_that_divides_what_it_has_keeps_no_rate_above_a_fair_one(turns: bool) -> None:
    """Beside two others a volume gets a third, and asks for half."""
    for seed in range(FEW):
        (found,) = verdicts(SharedStorage(iops=400, turns=turns), limit(value=5.0, share=0.5), seed=seed)
        assert found.status == "fail" and "the rate was not kept: " in found.reason, found.reason


@pytest.mark.parametrize(("longest_s", "status"), [(60, "inconclusive"), (120, "fail")])
def test_a_p99_of_few_operations_takes_longer(longest_s: float, status: str) -> None:
    """Ten a second are too few in a minute."""
    (found,) = verdicts(SharedStorage(iops=100, turns=False), limit(value=0.1), seed=1, longest_s=longest_s)
    assert found.status == status, found.reason
