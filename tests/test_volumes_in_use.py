"""A volume must exist as long as a pod uses it, through changes and moves, and be deleted after it."""

import pytest

from acceptance.trials.features.ephemeral import try_ephemeral
from acceptance.trials.features.modification import try_modification
from acceptance.trials.features.moves import try_moves
from acceptance.trials.features.protection import try_protection

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("protection")
def test_volume_in_use_survives_deletion_of_its_claim(show_capability):
    """A PVC is deleted while a pod uses it; the PVC remains until the pod has ended, and is deleted then."""
    show_capability(try_protection)


@pytest.mark.capability("ephemeral")
def test_ephemeral_volume_is_created_and_deleted_with_its_pod(show_capability):
    """An ephemeral volume is created with its pod; after the pod, its PVC and PV are deleted, unless retained."""
    show_capability(try_ephemeral)


@pytest.mark.capability("volume-attributes-class")
def test_volume_attributes_class_changes_a_volume_in_use(show_capability):
    """A PVC gets a VolumeAttributesClass, then another if there is one; the PVC reports each, and its pod continues."""
    show_capability(try_modification)


@pytest.mark.capability("moves")
def test_volumes_keep_their_data_when_moved_between_nodes(show_capability):
    """Three volumes move between all nodes six times, all at the same time; each holds its own data after each move."""
    show_capability(try_moves)
