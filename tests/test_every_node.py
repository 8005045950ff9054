"""Every node that takes pods must be able to use a volume; often a single node of many cannot."""

import pytest

pytestmark = pytest.mark.provisioning


@pytest.mark.smoke
def test_every_node_uses_a_volume(every_node):
    """A pod on each node writes to a new volume and reads it back; the volume is not a folder on the node's disk."""
    every_node()


def test_volumes_are_usable_on_every_node_in_time(slowest_node, every_node_limit, accept):
    """On the slowest node, a pod with a new volume ends within the limit, counted from the request for the volume."""
    accept(slowest_node.against(every_node_limit))
