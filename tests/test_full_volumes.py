"""A full volume must report that it is full, keep its data, harm no other volume, and be usable again afterwards."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.features, pytest.mark.destructive, pytest.mark.slow]


def test_full_volume_reports_no_space_left(full_volume, accept):
    """A volume is filled; it holds as much data as it reported as free space, and then reports ENOSPC."""
    accept(full_volume.against("error"))


def test_full_volume_keeps_its_data(full_volume, accept):
    """A volume is filled; a new pod then finds every durable file with the right checksum."""
    accept(full_volume.against("kept"))


def test_full_volume_harms_no_other_volume(full_volume, accept):
    """A volume is filled; another volume of the class keeps its data, and accepts more data."""
    accept(full_volume.against("others"))


def test_full_volume_accepts_writes_after_files_are_deleted(full_volume, accept):
    """Files of a full volume are deleted; new files can then be written and read back."""
    accept(full_volume.against("again"))


def test_full_volume_expands(full_volume, accept):
    """A full volume is expanded while a pod uses it; the volume then accepts more data."""
    accept(full_volume.against("growth"))


def test_full_volume_releases_the_space_of_deleted_files(full_volume, accept):
    """Files of a full volume are deleted and trimmed; the pool regains their space while the volume is in use."""
    accept(full_volume.against("trim"))


def test_deleted_full_volume_releases_its_space(full_volume, accept):
    """A full volume is deleted; the pool then has as much free space as before the volume was created."""
    accept(full_volume.against("space"))
