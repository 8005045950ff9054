"""Golden: the times that the Longhorn 1.6 reference report publishes give the largest volumes that it concludes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.results.rebuilds import PATTERNS
from acceptance.trials.rebuild.model import largest_volume

PUBLISHED: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "published" / "rebuild.yaml").read_text())
GI = 1024**3


@pytest.mark.parametrize("pattern", PATTERNS)
def test_published_times_give_the_published_largest_volumes(pattern: str) -> None:
    size, seconds, published = PUBLISHED["cases"][pattern]
    found = largest_volume(size * GI, seconds, time_limit_s=PUBLISHED["time_limit_s"])
    assert int(found / GI) == published


@pytest.mark.parametrize("pattern", PATTERNS)
def test_snapshots_divide_it(pattern: str) -> None:
    """The report: "divides by the number of snapshots, volume-head included"."""
    size, seconds, published = PUBLISHED["cases"][pattern]
    found = largest_volume(size * GI, seconds, time_limit_s=PUBLISHED["time_limit_s"], snapshots=4)
    assert int(found / GI) == published // 4
