"""A volume with very many files: they must be created, found and deleted fast, and must delay no pod."""

import pytest

pytestmark = [pytest.mark.many_files, pytest.mark.slow]


@pytest.mark.filing("files")
def test_files_are_created_found_and_deleted_in_time(many_files, many_files_limit, accept):
    """Very many files are created, listed, looked up and deleted within the tier's times."""
    accept(many_files.against(many_files_limit))


@pytest.mark.filing("pods")
def test_pods_start_in_time_on_volumes_with_many_files(many_files, many_files_limit, accept):
    """Pods start in time on a volume with very many files; with its own fsGroup, as fast as on an empty volume."""
    accept(many_files.against(many_files_limit))
