"""Volumes must keep to themselves: a new one shows no earlier data, and a deletion takes nothing else with it."""

import pytest

from acceptance.trials.features.deletions import try_early_deletion, try_isolated_deletion
from acceptance.trials.features.erased import try_erased

pytestmark = [pytest.mark.provisioning, pytest.mark.features, pytest.mark.slow]


@pytest.mark.capability("erased-blocks")
def test_new_raw_block_volume_shows_no_data_of_a_deleted_one(show_capability):
    """A raw block volume is filled with marks and deleted; new ones of its size hold none of these marks."""
    show_capability(try_erased)


@pytest.mark.capability("erased-files")
def test_new_volume_is_empty_after_another_was_deleted(show_capability):
    """A volume is filled with marked files and deleted; new ones of its size are empty, and show none of its data."""
    show_capability(try_erased)


@pytest.mark.capability("isolated-deletion")
def test_deleted_volume_takes_no_data_of_others_with_it(show_capability):
    """A volume is deleted, and another one during its creation; the volumes next to them keep their data."""
    show_capability(try_isolated_deletion)


@pytest.mark.capability("early-deletion")
def test_claim_deleted_before_it_is_bound_leaves_nothing_behind(show_capability):
    """PVCs are deleted right after their request; no PV remains, and a pool that can be read has its space back."""
    show_capability(try_early_deletion)
