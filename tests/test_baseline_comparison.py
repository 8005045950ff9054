"""A distributed storage class cannot honestly make writes durable faster than the local disk it is built on."""

import pytest


@pytest.mark.comparison
@pytest.mark.profiles(other_than=())
def test_class_is_not_better_than_local(measured, comparison_rule, accept):
    """Measured in turn on the same node, the class is not better than the baseline class where it cannot be."""
    accept(measured.compared(comparison_rule))
