"""Upgrades and crashes end pods of the storage system itself: volumes stay usable, and new ones can be used soon.

Only pods that --storage-kill-pods names are killed: one at a time, the next when all are Ready again.
"""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.storage_pods, pytest.mark.destructive, pytest.mark.slow]


def test_storage_stands_that_its_pods_are_killed(storage_pods_killed, disruption_limit, accept):
    """Another pod is Ready in place of each, writes go on, and a new volume is usable, all within the tier's limits."""
    accept(storage_pods_killed.against(disruption_limit))


def test_acknowledged_records_are_there_after_pods_of_the_storage_were_killed(records_kept, accept):
    """Whichever pod was killed, every record that was acknowledged before or meanwhile is there."""
    accept(records_kept())
