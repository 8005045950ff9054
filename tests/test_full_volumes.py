"""A volume is filled to its end: it must say so, keep what it holds, harm no other, and be of use again afterwards."""

import pytest

pytestmark = [pytest.mark.durability, pytest.mark.features, pytest.mark.destructive, pytest.mark.slow]


def test_full_volume_says_that_no_space_is_left(filled, accept):
    """A volume that is full says so (ENOSPC), and takes first what it showed as free."""
    accept(filled.against("error"))


def test_full_volume_keeps_what_was_written(filled, accept):
    """A new pod finds every file that was durable before the volume was full, by its checksum."""
    accept(filled.against("kept"))


def test_full_volume_harms_no_other_volume(filled, accept):
    """Another volume of the class has its data still, and takes more."""
    accept(filled.against("others"))


def test_full_volume_takes_writes_again(filled, accept):
    """Once files are deleted, others can be written, and are there."""
    accept(filled.against("again"))


def test_full_volume_grows(filled, accept):
    """A full volume is expanded under the pod that uses it, and takes more."""
    accept(filled.against("growth"))


def test_full_volume_gives_the_space_of_deleted_files_back(filled, accept):
    """Once its files are deleted and trimmed, the pool has their space again, with the volume still in use."""
    accept(filled.against("trim"))


def test_full_volume_gives_its_space_back(filled, accept):
    """Once it is deleted, the pool has as much space as before."""
    accept(filled.against("space"))
