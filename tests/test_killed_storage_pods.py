"""Upgrades and crashes end pods of the storage system: volumes must stay usable, and new ones must soon be usable.

Only pods that --storage-kill-pods names are killed: one at a time, the next when all are Ready again.
"""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.storage_pods, pytest.mark.destructive, pytest.mark.slow]


def test_storage_survives_killed_storage_pods(killed_storage_pods, disruption_limit, accept):
    """Pods of the storage system are killed; the storage recovers within the limits of the tier."""
    accept(killed_storage_pods.against(disruption_limit))


def test_acknowledged_records_survive_killed_storage_pods(records_kept, accept):
    """Pods of the storage system are killed; every record that was acknowledged before or meanwhile still exists."""
    accept(records_kept())
