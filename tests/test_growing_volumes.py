"""Further ways of volume expansion: without a pod, with a new pod, as raw block devices."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("expansion-offline")
def test_unused_volume_grows(show_capability):
    """A PVC is expanded while no pod uses it; the next pod sees its file system grow, and its data."""
    show_capability()


@pytest.mark.capability("expansion-new-pod")
def test_volume_grows_for_a_pod_made_anew(show_capability):
    """A PVC is expanded, and its pod is replaced immediately; the new pod sees its file system grow, and its data."""
    show_capability()


@pytest.mark.capability("block-expansion")
def test_raw_block_volume_grows_while_it_is_used(show_capability):
    """A raw block PVC is expanded, and the pod that has the device the whole time writes at its new end."""
    show_capability()
