"""A StorageClass must not become worse from run to run by more than noise and the tier allow."""

import pytest


@pytest.mark.regression
def test_class_is_no_slower_than_before(earlier_runs, history_limit, accept):
    """Measured as in earlier runs on the same cluster, the class keeps the accepted level."""
    accept(earlier_runs.compare(history_limit))
