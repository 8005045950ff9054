"""A volume that several nodes use at the same time (ReadWriteMany): locks, writes, changes, permissions, listings."""

import pytest

from acceptance.trials.features.appends import try_appends
from acceptance.trials.features.entries import try_entries
from acceptance.trials.features.locks import try_locks
from acceptance.trials.features.rights import try_rights
from acceptance.trials.features.visibility import try_visibility
from acceptance.trials.features.writers import try_writers

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("locks")
def test_file_locks_hold_between_nodes(show_capability):
    """A file that a pod locks (flock, fcntl) is locked on another node, until the pod is killed."""
    show_capability(try_locks)


@pytest.mark.capability("appends")
def test_nodes_append_to_one_file(show_capability):
    """Pods on two nodes append to one file at the same time (O_APPEND); the file holds each record once, and intact."""
    show_capability(try_appends)


@pytest.mark.capability("concurrent-writers")
def test_nodes_write_at_the_same_time(show_capability):
    """Pods on two nodes write durable records at the same time until they are killed; no acknowledged one is lost."""
    show_capability(try_writers)


@pytest.mark.capability("visibility")
def test_changes_are_visible_on_another_node(show_capability):
    """Files that one node renames, or writes and fsyncs, are complete on another node, and never missing there."""
    show_capability(try_visibility)


@pytest.mark.capability("file-permissions")
def test_file_permissions_hold_on_another_node(show_capability):
    """Another node refuses access to a file to those who have no permission; changed permissions take effect there."""
    show_capability(try_rights)


@pytest.mark.slow
@pytest.mark.capability("directory-listing")
def test_large_directory_is_listed_completely_on_another_node(show_capability):
    """A directory of up to 100,000 entries grows on one node; another node lists every entry exactly once."""
    show_capability(try_entries)
