"""A volume must have at least the size that its PVC requests, whatever unit the storage counts in."""

import pytest

from acceptance.trials.features.large_volume import try_large_volume
from acceptance.trials.features.requested_sizes import try_requested_sizes

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("requested-sizes")
def test_volume_has_at_least_the_requested_size(show_capability):
    """PVCs request 1500Mi, 4G, and 1Gi and one byte; PVC, PV and file system have at least that."""
    show_capability(try_requested_sizes)


@pytest.mark.capability("block-requested-sizes")
def test_raw_block_volume_has_at_least_the_requested_size(show_capability):
    """PVCs for raw block volumes request the same sizes; a pod writes and reads the last requested byte of each."""
    show_capability(try_requested_sizes)


@pytest.mark.capability("large-volume")
def test_volume_of_production_size_is_used_in_time(show_capability):
    """One volume of the size in --storage-with large-volume is bound, mounted and written within --storage-timeout."""
    show_capability(try_large_volume)
