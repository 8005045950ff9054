"""A StorageClass must suit each workload that is named with --storage-for."""

import pytest

pytestmark = [pytest.mark.data_plane, pytest.mark.workloads]


def test_class_is_fast_enough_for_the_workload(measurement, workload_limit, accept):
    """The load that represents the workload meets the limits of the workload."""
    accept(measurement.against(workload_limit))


def test_class_has_the_file_operations_of_the_workload(file_operations, needy_workload, accept):
    """Volumes of the class can do everything with files that the workload requires of them."""
    accept(file_operations.against(needy_workload))
