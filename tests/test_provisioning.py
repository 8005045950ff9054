"""A StorageClass must provide volumes: bind a PVC, mount it, keep its data, and delete it again."""

import pytest

pytestmark = [pytest.mark.smoke, pytest.mark.provisioning]


def test_claim_binds_and_takes_a_write(volume):
    """A PVC binds; a pod mounts the volume, writes data, and reads the same data back."""
    assert volume.write().content == volume.marker


@pytest.mark.planned(pods=2)
def test_data_survives_a_new_pod_on_the_same_node(volume):
    """A pod writes data; the next pod on the same node reads the same data."""
    writer = volume.write()
    assert volume.read(node=writer.node).content == volume.marker


@pytest.mark.planned(pods=2)
def test_data_survives_a_new_pod_on_another_node(volume, another_node):
    """A pod writes data; if the class allows another node, the next pod there reads the same data."""
    writer = volume.write()
    reader = volume.read(node=another_node(volume, writer))
    assert reader.node != writer.node
    assert reader.content == volume.marker


def test_claim_binds_in_time(volume, provisioning, provisioning_limit, accept):
    """Each PVC is bound within the time that the tier allows; the slowest PVC of the run counts."""
    volume.write()
    accept(provisioning.against(provisioning_limit))


def test_deleted_volume_is_removed(volume):
    """After its PVC, the volume is deleted too, or kept if the reclaim policy is Retain."""
    volume.write()
    volume.delete()
