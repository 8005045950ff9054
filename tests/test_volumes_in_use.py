"""A volume and the pod that uses it: it is there as long as the pod, and gone after it."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("protection")
def test_a_volume_in_use_outlasts_the_deletion_of_its_claim(show):
    """A PVC that is deleted while a pod uses it stays, the pod reads and writes on, and the PVC goes after the pod."""
    show()


@pytest.mark.capability("ephemeral")
def test_an_ephemeral_volume_comes_and_goes_with_its_pod(show):
    """An ephemeral volume is made with its pod and takes a write; PVC and PV go after it, the PV unless retained."""
    show()


@pytest.mark.capability("modification")
def test_attributes_of_a_volume_in_use_are_changed(show):
    """A PVC gets a VolumeAttributesClass, then another if it can, reports each, and its pod reads and writes on."""
    show()


@pytest.mark.capability("moves")
def test_volumes_keep_their_data_when_they_move_between_nodes(show):
    """Three volumes move between all nodes six times, all at the same time; each holds its own data after each move."""
    show()
