"""A volume of very many files: they must be created, found and deleted soon, and no pod may wait for them."""

import pytest

pytestmark = [pytest.mark.many_files, pytest.mark.slow]


@pytest.mark.filing("files")
def test_files_are_made_found_and_deleted_in_time(many_files, many_files_limit, accept):
    """The files are created, listed, looked up and deleted as soon as the tier requires."""
    accept(many_files.against(many_files_limit))


@pytest.mark.filing("pods")
def test_pods_start_in_time_on_many_files(many_files, many_files_limit, accept):
    """Pods start on the files as soon as the tier requires, with their own fsGroup as soon as on an empty volume."""
    accept(many_files.against(many_files_limit))
