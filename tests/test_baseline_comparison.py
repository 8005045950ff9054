"""A distributed StorageClass cannot honestly beat the local disk it is built on, and must not cost much more CPU."""

import pytest


@pytest.mark.comparison
@pytest.mark.profiles(other_than=())
def test_class_is_not_better_than_local(measured, comparison_rule, accept):
    """Measured in turn on the same node, the class is no better and no worse than the rules of the tier allow."""
    accept(measured.compared(comparison_rule))
