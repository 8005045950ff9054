"""Records of killed pods of a storage system, for tests of what is made of them."""

from __future__ import annotations

from typing import Any

from acceptance.results.disruptions import KilledPod, StoragePodsRecord
from selftests.unit.crash_records import NOW


def kill(pod: str = "manager-1", **changes: Any) -> KilledPod:
    fields: dict[str, Any] = {"pod": pod, "node": "node-1", "ready_s": 6.2, "gap_s": 0.3, "new_volume_s": 9.1}
    return KilledPod(**fields | changes)


def storage_pods(*kills: KilledPod, **changes: Any) -> StoragePodsRecord:
    fields: dict[str, Any] = {
        "storage_class": "fast",
        "selector": "vendor/app=manager",
        "node": "node-1",
        "read_on": "node-1",
        "started": NOW,
        "kills": list(kills) or [kill()],
        "left": 0,
        "acknowledged": 400,
        "lost": [],
    }
    return StoragePodsRecord(**fields | changes)
