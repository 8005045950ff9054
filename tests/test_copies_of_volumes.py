"""Snapshots and clones as backups, databases and test systems use them; skipped if the class supports none."""

import pytest

from acceptance.trials.features.clone_times import try_clone_times
from acceptance.trials.features.clones import try_clone
from acceptance.trials.features.larger import try_larger
from acceptance.trials.features.parallel_clones import try_parallel_clones
from acceptance.trials.features.read_only_copies import try_read_only_copy
from acceptance.trials.features.same_node import try_on_same_node
from acceptance.trials.features.snapshot_rounds import try_snapshot_rounds
from acceptance.trials.features.snapshots import try_snapshot

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("restore-larger")
def test_snapshot_restored_to_a_larger_volume_fills_it(show_capability):
    """A snapshot is restored to a PVC of twice the size; the larger file system holds the data of the snapshot."""
    show_capability(try_larger)


@pytest.mark.capability("clone-larger")
def test_larger_clone_fills_its_volume(show_capability):
    """A volume is cloned to a PVC of twice the size; the larger file system holds the data of the cloned volume."""
    show_capability(try_larger)


@pytest.mark.capability("restore-on-same-node")
def test_volume_and_its_restored_snapshot_are_used_on_one_node(show_capability):
    """One pod uses a volume and its restored snapshot at the same time; each of the two volumes holds its own data."""
    show_capability(try_on_same_node)


@pytest.mark.capability("clone-on-same-node")
def test_volume_and_its_clone_are_used_on_one_node(show_capability):
    """One pod uses a volume and its clone at the same time; each of the two volumes holds its own data."""
    show_capability(try_on_same_node)


@pytest.mark.capability("restore-read-only")
def test_read_only_restored_snapshot_refuses_writes(show_capability):
    """A snapshot is restored to a ReadOnlyMany PVC; a pod mounts the volume, reads the data, and cannot write."""
    show_capability(try_read_only_copy)


@pytest.mark.capability("clone-read-only")
def test_read_only_clone_refuses_writes(show_capability):
    """A volume is cloned to a ReadOnlyMany PVC; a pod mounts the clone, reads the data, and cannot write."""
    show_capability(try_read_only_copy)


@pytest.mark.capability("parallel-clones")
def test_concurrent_clones_are_all_intact(show_capability):
    """Three clones of one volume are requested at the same time; each clone holds the data of the volume."""
    show_capability(try_parallel_clones)


@pytest.mark.slow
@pytest.mark.capability("clone-times")
def test_clone_time_tells_full_copies_from_references(show_capability):
    """Volumes with little and with much data are cloned alternately; the times show whether a clone copies the data."""
    show_capability(try_clone_times)


@pytest.mark.capability("block-snapshot")
def test_snapshot_of_a_raw_block_volume_holds_its_data(show_capability):
    """A restored snapshot of a raw block volume holds all data written before the snapshot, and no later data."""
    show_capability(try_snapshot)


@pytest.mark.capability("block-clone")
def test_clone_of_a_raw_block_volume_is_independent(show_capability):
    """A clone of a raw block volume holds the data of its source; later writes to one do not change the other."""
    show_capability(try_clone)


@pytest.mark.capability("snapshot-rounds")
def test_repeated_snapshots_leave_nothing_behind(show_capability):
    """Snapshots of a volume in use are taken and deleted repeatedly; writes continue, no snapshot content remains."""
    show_capability(try_snapshot_rounds)
