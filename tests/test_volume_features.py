"""Capabilities of volumes, in addition to reads and writes: a test is skipped if the class lacks its capability."""

import pytest

from acceptance.trials.features.clones import try_clone
from acceptance.trials.features.expansion import try_expansion
from acceptance.trials.features.file_operations import try_file_operations
from acceptance.trials.features.ownership import try_ownership
from acceptance.trials.features.read_only import try_read_only
from acceptance.trials.features.sharing import try_sharing
from acceptance.trials.features.snapshots import try_snapshot

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("expansion")
def test_volume_expands_while_in_use(show_capability):
    """A PVC is expanded while a pod uses the volume; the pod sees the file system grow."""
    show_capability(try_expansion)


@pytest.mark.capability("snapshot")
def test_snapshot_holds_the_data_at_its_creation(show_capability):
    """A restored snapshot holds all data written before the snapshot, and no later data."""
    show_capability(try_snapshot)


@pytest.mark.capability("clone")
def test_clone_is_independent_of_its_source(show_capability):
    """A clone holds the data of its source; later writes to one do not change the other."""
    show_capability(try_clone)


@pytest.mark.capability("read-write-many")
def test_two_nodes_share_a_volume(show_capability):
    """Pods on two nodes use a volume at the same time, and each pod reads the other's writes."""
    show_capability(try_sharing)


@pytest.mark.capability("fs-group")
def test_fs_group_owns_the_volume(show_capability):
    """A volume and its files belong to the group that a pod requests with fsGroup."""
    show_capability(try_ownership)


@pytest.mark.capability("read-only")
def test_read_only_volume_refuses_writes(show_capability):
    """A pod that mounts a volume read-only reads its data, and the volume refuses all its writes."""
    show_capability(try_read_only)


@pytest.mark.capability("file-operations")
def test_files_behave_as_on_a_local_disk(show_capability):
    """Files are linked, replaced, mapped, locked, and given modes and names as on a local disk, for a new pod, too."""
    show_capability(try_file_operations)
