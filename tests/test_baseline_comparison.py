"""A distributed StorageClass cannot be faster than the local disk under it, and must not cost much more CPU."""

import pytest


@pytest.mark.comparison
@pytest.mark.profiles(other_than=())
def test_class_is_not_faster_than_local(measurement, comparison_rule, accept):
    """Class and baseline are loaded alternately on a node; the class is no better and no worse than the tier allows."""
    accept(measurement.compare(comparison_rule))
