"""Several volumes of the class in one pod."""

import pytest

from acceptance.trials.features.several_volumes import try_two_volumes

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("two-volumes")
def test_pod_uses_two_volumes(show_capability):
    """Pods use two volumes together, on one node and if possible on another; each volume keeps its data."""
    show_capability(try_two_volumes)


@pytest.mark.capability("two-modes")
def test_pod_uses_a_file_system_and_a_raw_block_volume(show_capability):
    """Pods use a file system and a raw block volume together, on one node and another; each volume keeps its data."""
    show_capability(try_two_volumes)
