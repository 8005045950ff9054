"""A volume of very many files: they must be made, found and deleted soon, and no pod may wait for them."""

import pytest

pytestmark = [pytest.mark.many_files, pytest.mark.slow]


@pytest.mark.filing("files")
def test_files_are_made_found_and_deleted_in_time(many_files, many_files_limit, accept):
    """So many files are created, listed, looked up and deleted as soon as the tier requires."""
    accept(many_files.against(many_files_limit))


@pytest.mark.filing("pods")
def test_pods_start_in_time_on_many_files(many_files, many_files_limit, accept):
    """A pod starts on so many files as soon as the tier requires, for another fsGroup too, and for its own no later."""
    accept(many_files.against(many_files_limit))
