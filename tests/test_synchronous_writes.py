"""A StorageClass must make synchronous writes durable fast enough for databases and control planes."""

import pytest


@pytest.mark.smoke
@pytest.mark.data_plane
@pytest.mark.profiles("sync-write-iops", "etcd-fsync", "etcd-fsync-busy")
def test_synchronous_writes_meet_the_limit(measurement, limit, accept):
    """Writes that are acknowledged only once they are durable are as fast as the tier requires."""
    accept(measurement.against(limit))
