"""A StorageClass must be fast enough for each workload that is named with --storage-for."""

import pytest

pytestmark = [pytest.mark.data_plane, pytest.mark.workloads]


def test_class_is_fast_enough_for_the_workload(measurement, workload_limit, accept):
    """The load that represents the workload meets the limits of the workload."""
    accept(measurement.against(workload_limit))
