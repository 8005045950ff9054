"""What volumes of a class can do beside being read and written: it is skipped where it is missing."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("expansion")
def test_volume_grows_while_it_is_used(show):
    """A PVC is expanded, and the pod that uses its volume the whole time sees its file system grow."""
    show()


@pytest.mark.capability("snapshot")
def test_snapshot_holds_what_was_there_when_it_was_taken(show):
    """A restored snapshot holds everything written before it was taken, and nothing written after."""
    show()


@pytest.mark.capability("clone")
def test_clone_goes_its_own_way(show):
    """A clone holds what its source held, and neither sees later writes to the other."""
    show()


@pytest.mark.capability("shared")
def test_two_nodes_share_a_volume(show):
    """Pods on two nodes use a volume at once, and each reads what the other writes."""
    show()


@pytest.mark.capability("fs-group")
def test_volume_is_given_to_the_group_of_a_pod(show):
    """A volume and its files belong to the group that a pod requests with fsGroup."""
    show()


@pytest.mark.capability("read-only")
def test_read_only_volume_refuses_writes(show):
    """A pod that mounts a volume read-only reads its data, and the volume refuses all its writes."""
    show()
