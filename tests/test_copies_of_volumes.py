"""Snapshots and clones as backups, databases and test systems use them; skipped if the class supports none."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("restore-larger")
def test_snapshot_restored_to_a_larger_volume_fills_it(show_capability):
    """A snapshot is restored to a PVC of twice the size; its file system is larger, too, and has the data."""
    show_capability()


@pytest.mark.capability("clone-larger")
def test_larger_clone_fills_its_volume(show_capability):
    """A volume is cloned to a PVC of twice the size; its file system is larger, too, and has the data."""
    show_capability()


@pytest.mark.capability("restore-beside")
def test_volume_and_its_restored_snapshot_are_used_on_one_node(show_capability):
    """One pod uses a volume and its restored snapshot at the same time, and each holds its own data."""
    show_capability()


@pytest.mark.capability("clone-beside")
def test_volume_and_its_clone_are_used_on_one_node(show_capability):
    """One pod uses a volume and its clone at the same time, and each holds its own data."""
    show_capability()


@pytest.mark.capability("restore-read-only")
def test_read_only_restored_snapshot_refuses_writes(show_capability):
    """A snapshot is restored to a ReadOnlyMany PVC: a pod mounts it read-only, reads the data, and cannot write."""
    show_capability()


@pytest.mark.capability("clone-read-only")
def test_read_only_clone_refuses_writes(show_capability):
    """A volume is cloned to a ReadOnlyMany PVC: a pod mounts it read-only, reads the data, and cannot write."""
    show_capability()


@pytest.mark.capability("parallel-clones")
def test_concurrent_clones_are_all_intact(show_capability):
    """Three clones of one volume are requested at the same time, and each holds the volume's data."""
    show_capability()


@pytest.mark.slow
@pytest.mark.capability("clone-times")
def test_clone_time_tells_full_copies_from_references(show_capability):
    """Volumes with little and with much data are cloned in turn; the times show whether they grow with the data."""
    show_capability()


@pytest.mark.capability("block-snapshot")
def test_snapshot_of_a_raw_block_volume_holds_its_data(show_capability):
    """A restored snapshot of a raw block volume holds all data written before it was taken, and none written after."""
    show_capability()


@pytest.mark.capability("block-clone")
def test_clone_of_a_raw_block_volume_is_independent(show_capability):
    """A clone of a raw block volume holds its source's data, and neither sees later writes to the other."""
    show_capability()


@pytest.mark.capability("snapshot-rounds")
def test_repeated_snapshots_leave_nothing_behind(show_capability):
    """Snapshots of a volume in use are taken and deleted in rounds; no VolumeSnapshotContent stays, writes continue."""
    show_capability()
