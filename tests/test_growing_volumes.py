"""Further ways of volume expansion: without a pod, with a new pod, as raw block devices."""

import pytest

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("expansion-offline")
def test_unused_volume_expands(show_capability):
    """A PVC is expanded while no pod uses it; the next pod finds a larger file system that still holds the data."""
    show_capability()


@pytest.mark.capability("expansion-new-pod")
def test_volume_expands_for_a_recreated_pod(show_capability):
    """A PVC is expanded, and its pod replaced immediately; the new pod finds a larger file system with the old data."""
    show_capability()


@pytest.mark.capability("block-expansion")
def test_raw_block_volume_expands_while_in_use(show_capability):
    """A raw block PVC is expanded while a pod uses the device; the pod then writes at the new end of the device."""
    show_capability()
