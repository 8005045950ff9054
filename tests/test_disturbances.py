"""A network or a backend is away for a while: pods must be able to continue afterwards, with all acknowledged data."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.disturb, pytest.mark.destructive, pytest.mark.slow]


@pytest.mark.crash("storage-interrupted")
def test_acknowledged_records_survive_interrupted_storage(crash, accept):
    """The storage is interrupted and restored while a pod writes; then another pod finds every acknowledged record."""
    accept(crash())


def test_volume_is_writable_again_after_interrupted_storage(writable_again):
    """Once the storage is restored, the pod that wrote before can write again, without being deleted."""
    writable_again()


def test_interrupted_storage_is_writable_in_time(interruption, disturbances_limit, accept):
    """The time from the restoration of the storage to the next durable write of the pod meets the limit."""
    accept(interruption.against(disturbances_limit))


def test_volume_is_detached_after_interrupted_storage(left_by_interruption, accept):
    """After an interruption, a deleted pod's volume is neither attached to its node nor mounted there."""
    accept(left_by_interruption())
