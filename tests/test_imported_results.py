"""What other tools found about the storage, such as the Kubernetes e2e and csi-sanity, is in the same report."""

import pytest


@pytest.mark.imported
def test_other_tool_found_no_failure(imported, accept):
    """No test of the other tool failed; judged only with --storage-imported-failures fail."""
    accept(imported())
