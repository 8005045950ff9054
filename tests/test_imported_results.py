"""Results of other tools on the storage, such as the Kubernetes e2e tests and csi-sanity, are in the same report."""

import pytest


@pytest.mark.imported
def test_other_tool_reported_no_failure(imported_results, accept):
    """No test of the other tool failed; judged only with --storage-imported-failures fail."""
    accept(imported_results())
