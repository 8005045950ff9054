"""What programs expect of a volume that several nodes use at once (ReadWriteMany), beside seeing each other's files."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("locks")
def test_locks_of_files_hold_between_nodes(show):
    """A file that a pod locks (flock, fcntl) is locked on another node, until the pod is killed."""
    show()


@pytest.mark.capability("appends")
def test_nodes_append_to_one_file(show):
    """Pods on two nodes append to one file at once (O_APPEND), and every record of both is in it, whole and once."""
    show()


@pytest.mark.capability("visibility")
def test_changes_show_on_another_node(show):
    """A file that is renamed, or written and fsynced, on one node shows on another, whole, and is never gone."""
    show()


@pytest.mark.capability("rights")
def test_rights_of_files_hold_on_another_node(show):
    """A file that its user or group alone may read is refused to others on another node, and new rights show there."""
    show()


@pytest.mark.capability("entries")
def test_large_folder_is_listed_whole_on_another_node(show):
    """A folder of up to 100,000 entries that grows on one node is listed on another, nothing missing, nothing twice."""
    show()
