"""Control operations of different kinds must not block each other, nor the pods that write meanwhile."""

import pytest

pytestmark = [pytest.mark.control_operations, pytest.mark.slow]


def test_operations_of_different_kinds_complete_together(mixed_operations, mixed_operations_limit, accept):
    """Volumes are created, cloned, restored, expanded and deleted together; all end in time, and writes do not stall.

    Snapshots are taken at the same time, too; each operation has volumes of its own.
    """
    accept(mixed_operations.against(mixed_operations_limit))


def test_data_survive_operations_of_different_kinds(written_meanwhile):
    """A pod writes without an error while operations of all kinds run, and each acknowledged record is intact."""
    written_meanwhile()
