"""A distributed storage class cannot honestly make writes durable faster than the local disk it is built on."""

import pytest


@pytest.mark.comparison
@pytest.mark.profiles("sync-write-iops", "etcd-fsync")
def test_synchronous_writes_are_not_better_than_local(measured, comparison_rule, accept):
    """Measured in turn on the same node, synchronous writes are not better than on the baseline class."""
    accept(measured.compared(comparison_rule))
