"""Written data is read back: every block, directly from the storage, in the same pod and in later ones."""

import pytest

pytestmark = pytest.mark.durability


def test_written_data_is_read_back(written_data):
    """A pod writes a file in full, and reads it back as it was written."""
    written_data()


@pytest.mark.planned(pods=2)
def test_written_data_is_read_by_a_new_pod(written_data):
    """A new pod on the same node reads the whole file as it was written."""
    written_data().verify()


@pytest.mark.planned(pods=2)
def test_written_data_is_read_on_another_node(written_data, another_node):
    """A new pod on another node reads the whole file as it was written, if the class allows another node."""
    volume = written_data()
    volume.verify(node=another_node(volume, volume))


@pytest.mark.destructive
@pytest.mark.slow
def test_data_written_during_a_rebuild_is_read_back(rewritten):
    """A file is rewritten from the beginning of a replica's rebuild; after that, the last pass is read back in full."""
    rewritten.verify()
