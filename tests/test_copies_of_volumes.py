"""Snapshots and clones as backups, databases and test systems use them; skipped if the class has none."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("restore-larger")
def test_snapshot_restored_to_a_larger_volume_fills_it(show):
    """A snapshot is restored to a PVC of twice the size; its file system is larger, too, and has the data."""
    show()


@pytest.mark.capability("clone-larger")
def test_larger_clone_fills_its_volume(show):
    """A volume is cloned to a PVC of twice the size; its file system is larger, too, and has the data."""
    show()


@pytest.mark.capability("restore-beside")
def test_volume_and_its_restored_snapshot_are_used_on_one_node(show):
    """One pod uses a volume and its restored snapshot at once, and each holds its own data."""
    show()


@pytest.mark.capability("clone-beside")
def test_volume_and_its_clone_are_used_on_one_node(show):
    """One pod uses a volume and its clone at once, and each holds its own data."""
    show()


@pytest.mark.capability("restore-read-only")
def test_snapshot_restored_for_reading_only_refuses_writes(show):
    """A snapshot is restored to a ReadOnlyMany PVC: a pod mounts it read-only, reads the data, and cannot write."""
    show()


@pytest.mark.capability("clone-read-only")
def test_clone_for_reading_only_refuses_writes(show):
    """A volume is cloned to a ReadOnlyMany PVC: a pod mounts it read-only, reads the data, and cannot write."""
    show()


@pytest.mark.capability("parallel-clones")
def test_clones_made_at_once_are_all_whole(show):
    """Three clones of one volume are asked for at once, and each holds what the volume held."""
    show()


@pytest.mark.slow
@pytest.mark.capability("clone-times")
def test_clones_are_told_to_be_copies_or_references(show):
    """Volumes that hold little and much data are cloned in turn; the times tell whether they grow with it."""
    show()


@pytest.mark.capability("block-snapshot")
def test_snapshot_of_a_raw_block_volume_holds_what_was_there(show):
    """A restored snapshot of a raw block volume holds all from before it was taken, and nothing from after."""
    show()


@pytest.mark.capability("block-clone")
def test_clone_of_a_raw_block_volume_goes_its_own_way(show):
    """A clone of a raw block volume holds what its source held, and neither sees later writes to the other."""
    show()


@pytest.mark.capability("snapshot-rounds")
def test_snapshots_taken_and_deleted_again_and_again_leave_nothing(show):
    """Snapshots of a volume in use are taken and deleted in rounds; no VolumeSnapshotContent stays, writes go on."""
    show()
