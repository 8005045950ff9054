"""A StorageClass must provide volumes: bind a PVC, mount it, keep what is written, and let it go again."""

import pytest

pytestmark = [pytest.mark.smoke, pytest.mark.provisioning]


def test_claim_binds_and_takes_a_write(volume):
    """A PVC binds, a pod mounts it, and reads back what it wrote."""
    assert volume.write().content == volume.marker


@pytest.mark.planned(pods=2)
def test_data_survives_a_new_pod_on_the_same_node(volume):
    """What one pod wrote, the next pod on the same node reads."""
    writer = volume.write()
    assert volume.read(node=writer.node).content == volume.marker


@pytest.mark.planned(pods=2)
def test_data_survives_a_new_pod_on_another_node(volume, another_node):
    """What one pod wrote, the next pod on another node reads, where the class allows it."""
    writer = volume.write()
    reader = volume.read(node=another_node(volume, writer))
    assert reader.node != writer.node
    assert reader.content == volume.marker


def test_claim_binds_in_time(volume, provisioned, provisioning_limit, accept):
    """A PVC is bound as soon after its creation as the tier requires; the slowest of the run counts."""
    volume.write()
    accept(provisioned.against(provisioning_limit))


def test_volume_is_gone_after_deletion(volume):
    """When the PVC is deleted, its volume is deleted too, or kept if the class's reclaim policy says so."""
    volume.write()
    volume.delete()
