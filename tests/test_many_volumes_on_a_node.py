"""A node must be able to use many volumes at the same time; some drivers fail at a number that they do not report."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.slow]


def test_pods_keep_their_volumes_while_a_node_is_filled(filled_node):
    """One node gets more and more volumes; pods that use the earlier ones continue to read their data."""
    filled_node()


def test_node_uses_the_required_number_of_volumes(node_volumes, node_volumes_limit, accept):
    """Pods of one node use as many volumes at the same time as the tier requires."""
    accept(node_volumes.against(node_volumes_limit))
