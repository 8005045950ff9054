"""Every other profile in the profiles folder is run, and judged if the tier has a limit for it."""

import pytest


@pytest.mark.data_plane
@pytest.mark.profiles(other_than=("sync-write-iops", "etcd-fsync", "etcd-fsync-busy"))
def test_profile_meets_the_limit(measurement, limit, accept):
    """The profile is measured and meets the limit of the tier; without a limit, its figures are only shown."""
    accept(measurement.against(limit))
