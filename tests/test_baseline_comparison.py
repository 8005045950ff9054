"""A distributed StorageClass cannot be faster than the local disk under it, and must not cost much more CPU."""

import pytest


@pytest.mark.comparison
@pytest.mark.profiles(other_than=())
def test_class_is_not_faster_than_local(measurement, comparison_rule, accept):
    """Measured in turn on the same node, the class is no better and no worse than the rules of the tier allow."""
    accept(measurement.compare(comparison_rule))
