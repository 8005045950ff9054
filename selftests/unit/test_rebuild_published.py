"""Golden: the times that the Longhorn 1.6 reference report publishes give the largest volumes that it concludes."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.results.rebuilds import PATTERNS
from acceptance.trials.rebuild.model import largest_volume
from selftests.unit.published_figures import published

PUBLISHED = published("rebuild")
GI = 1024**3


def published_times_give_the_published_largest_volumes(figures: dict[str, Any], snapshots: int = 1) -> None:
    """The report on snapshots: "divides by the number of snapshots, volume-head included"."""
    for pattern in PATTERNS:
        size, seconds, largest = figures["cases"][pattern]
        limit_s = figures["time_limit_s"]
        found = largest_volume(round(size * GI), seconds, time_limit_s=limit_s, snapshots=snapshots)
        assert int(found / GI) == largest // snapshots


COMPARISONS = (published_times_give_the_published_largest_volumes,)


@pytest.mark.parametrize("snapshots", [1, 4])
def test_published_times_give_the_published_largest_volumes(snapshots: int) -> None:
    published_times_give_the_published_largest_volumes(PUBLISHED, snapshots)
