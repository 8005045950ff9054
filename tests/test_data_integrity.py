"""What was written is read: every block, straight from the storage, in the same pod and in later ones."""

import pytest

pytestmark = pytest.mark.durability


def test_written_data_is_read_back(written):
    """A file that a pod writes in full is read as it was written."""
    written()


@pytest.mark.planned(pods=2)
def test_written_data_is_read_by_a_new_pod(written):
    """A new pod on the same node reads all of it as it was written."""
    written().verify()


@pytest.mark.planned(pods=2)
def test_written_data_is_read_elsewhere(written, another_node):
    """A new pod on another node reads all of it as it was written, where the class allows it."""
    volume = written()
    volume.verify(node=another_node(volume, volume))


@pytest.mark.destructive
@pytest.mark.slow
def test_data_written_during_a_rebuild_is_read_back(rewritten):
    """A file is rewritten when a lost replica begins to be rebuilt; the last pass is read back in full after that."""
    rewritten.verify()
