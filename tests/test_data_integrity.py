"""Written data is read back: every block, directly from the storage, in the same pod and in later ones."""

import pytest

pytestmark = pytest.mark.durability


def test_written_data_is_read_back(written_data):
    """A pod writes a file, and reads back every block unchanged."""
    written_data()


@pytest.mark.planned(pods=2)
def test_written_data_is_read_by_a_new_pod(written_data):
    """A new pod on the same node reads back every block of the file unchanged."""
    written_data().verify()


@pytest.mark.planned(pods=2)
def test_written_data_is_read_on_another_node(written_data, another_node):
    """If the class allows another node, a new pod there reads back every block of the file unchanged."""
    volume = written_data()
    volume.verify(node=another_node(volume, volume))


@pytest.mark.destructive
@pytest.mark.slow
def test_data_written_during_a_rebuild_is_read_back(rewritten):
    """A file is rewritten repeatedly while a replica is rebuilt; then every block of the last pass is read back."""
    rewritten.verify()
