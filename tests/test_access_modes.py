"""Access modes decide who may use a volume at the same time: one pod, nodes that read, nodes that share a device."""

import pytest

from acceptance.trials.features.one_pod import try_one_pod
from acceptance.trials.features.read_only_many import try_read_only_many
from acceptance.trials.features.shared_block import try_shared_block

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("read-write-once-pod")
def test_read_write_once_pod_volume_refuses_a_second_pod(show_capability):
    """With ReadWriteOncePod, a second pod on the same node waits while the first runs, then uses the volume."""
    show_capability(try_one_pod)


@pytest.mark.capability("read-only-many")
def test_nodes_share_a_read_only_many_volume(show_capability):
    """With ReadOnlyMany, pods on two nodes mount a clone read-only at the same time, read it, and cannot write."""
    show_capability(try_read_only_many)


@pytest.mark.capability("shared-block")
def test_two_nodes_share_a_raw_block_volume(show_capability):
    """With ReadWriteMany, pods on two nodes use a raw device at the same time, and each reads the other's writes."""
    show_capability(try_shared_block)
