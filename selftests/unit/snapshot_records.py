"""Records of snapshots of volumes in use, for tests of what is made of them."""

from __future__ import annotations

from typing import Any

from acceptance.results.snapshots import Pace, SnapshotRecord
from selftests.unit.crash_records import NOW


def snapshot(**changes: Any) -> SnapshotRecord:
    fields: dict[str, Any] = {
        "storage_class": "fast",
        "snapshot_class": "snap",
        "node": "node-1",
        "asked": NOW,
        "files": 4,
        "acknowledged": 1000,
        "whole": 1040,
        "last": 1041,
        "lost": [],
        "holes": [],
        "paces": [
            Pace(stage="before", seconds=5.0, records=1000, longest_s=0.1),
            Pace(stage="taken", seconds=2.0, records=40, longest_s=0.75),
            Pace(stage="restored", seconds=8.0, records=1200, longest_s=0.2),
            Pace(stage="deleted", seconds=1.0, records=150, longest_s=0.1),
        ],
    }
    return SnapshotRecord(**fields | changes)
