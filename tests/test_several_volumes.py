"""Several volumes of the class in one pod."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("two-volumes")
def test_pod_uses_two_volumes(show):
    """A pod uses two volumes, then a new one there, and elsewhere if a node can: each holds what was written to it."""
    show()


@pytest.mark.capability("two-modes")
def test_pod_uses_a_file_system_and_a_raw_block_volume(show):
    """The same with a file system and a raw block volume."""
    show()
