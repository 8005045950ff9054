"""Further ways of volume expansion: without a pod, with a new pod, as raw block devices, after a refusal."""

import pytest

from acceptance.trials.features.block_expansion import try_block_expansion
from acceptance.trials.features.expansion_recovery import try_expansion_recovery
from acceptance.trials.features.offline_expansion import try_expansion_with_a_new_pod, try_offline_expansion

pytestmark = [pytest.mark.provisioning, pytest.mark.features]


@pytest.mark.capability("expansion-offline")
def test_unused_volume_expands(show_capability):
    """A PVC is expanded while no pod uses it; the next pod finds a larger file system that still holds the data."""
    show_capability(try_offline_expansion)


@pytest.mark.capability("expansion-new-pod")
def test_volume_expands_for_a_recreated_pod(show_capability):
    """A PVC is expanded, and its pod replaced immediately; the new pod finds a larger file system with the old data."""
    show_capability(try_expansion_with_a_new_pod)


@pytest.mark.capability("block-expansion")
def test_raw_block_volume_expands_while_in_use(show_capability):
    """A raw block PVC is expanded while a pod uses the device; the pod then writes at the new end of the device."""
    show_capability(try_block_expansion)


@pytest.mark.capability("expansion-recovery")
def test_volume_recovers_from_a_refused_expansion(show_capability):
    """A PVC requests a size that the storage refuses, then a smaller one; the volume grows, and its pod continues."""
    show_capability(try_expansion_recovery)
