"""A volume must exist as long as a pod uses it, through changes and moves, and be deleted after it."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("protection")
def test_volume_in_use_survives_deletion_of_its_claim(show_capability):
    """A PVC is deleted while a pod uses it: it stays while the pod reads and writes, and is deleted after the pod."""
    show_capability()


@pytest.mark.capability("ephemeral")
def test_ephemeral_volume_is_created_and_deleted_with_its_pod(show_capability):
    """An ephemeral volume is created with its pod, and written; PVC and PV, unless retained, are deleted after it."""
    show_capability()


@pytest.mark.capability("volume-attributes-class")
def test_volume_attributes_class_changes_a_volume_in_use(show_capability):
    """A PVC gets a VolumeAttributesClass, then another if possible, and reports each; its pod continues to work."""
    show_capability()


@pytest.mark.capability("moves")
def test_volumes_keep_their_data_when_moved_between_nodes(show_capability):
    """Three volumes move between all nodes six times, all at the same time; each holds its own data after each move."""
    show_capability()
