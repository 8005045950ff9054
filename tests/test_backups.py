"""Copies and growth as users rely on them for backups, with every block of much data read; skipped if unsupported."""

import pytest

from acceptance.trials.features.bulk_copies import try_bulk_copy, try_bulk_expansion
from acceptance.trials.features.chain_of_copies import try_chain
from acceptance.trials.features.expansion_with_snapshot import try_expansion_with_snapshot
from acceptance.trials.features.full_clone import try_full_clone
from acceptance.trials.features.recreated_claim import try_recreated_claim
from acceptance.trials.features.shared_restore import try_shared_restore
from acceptance.trials.features.snapshot_without_source import try_snapshot_without_source

pytestmark = [pytest.mark.provisioning, pytest.mark.features, pytest.mark.slow]


@pytest.mark.capability("snapshot-without-source")
def test_snapshot_outlives_its_source(show_capability):
    """A snapshot is restored after PVC and PV of its source are deleted; the new volume holds all of the data."""
    show_capability(try_snapshot_without_source)


@pytest.mark.capability("restore-bulk-data")
def test_restored_snapshot_holds_every_block(show_capability):
    """A restored snapshot holds every block of 256 MiB, also after all blocks of its source are overwritten."""
    show_capability(try_bulk_copy)


@pytest.mark.capability("clone-bulk-data")
def test_clone_holds_every_block(show_capability):
    """A clone holds every block of 256 MiB, also after all blocks of its source are overwritten."""
    show_capability(try_bulk_copy)


@pytest.mark.capability("expansion-bulk-data")
def test_growing_volume_keeps_every_block(show_capability):
    """A volume with 256 MiB of data grows while a pod uses it; a new pod finds every block as it was written."""
    show_capability(try_bulk_expansion)


@pytest.mark.capability("chain-of-copies")
def test_chain_of_copies_is_deleted_from_its_root(show_capability):
    """A volume, its snapshot, and copies of these are deleted from the first one on; what is left stays intact."""
    show_capability(try_chain)


@pytest.mark.capability("expansion-with-snapshot")
def test_volume_with_a_snapshot_expands(show_capability):
    """A volume grows while it has a snapshot; the volume keeps its data, and the snapshot is restored with its own."""
    show_capability(try_expansion_with_snapshot)


@pytest.mark.destructive
@pytest.mark.capability("clone-of-a-full-volume")
def test_full_volume_is_cloned(show_capability):
    """A volume is filled until writes fail, and cloned; the clone holds the data, and takes writes after a deletion."""
    show_capability(try_full_clone)


@pytest.mark.capability("recreated-claim")
def test_recreated_claim_gets_a_new_volume(show_capability):
    """A PVC that is deleted and recreated under its name gets a new volume of its size without the old files."""
    show_capability(try_recreated_claim)


@pytest.mark.capability("restore-read-write-many")
def test_restored_volume_is_shared_by_two_nodes(show_capability):
    """A snapshot of a ReadWriteOnce volume is restored to a ReadWriteMany volume; two nodes use it at the same time."""
    show_capability(try_shared_restore)
