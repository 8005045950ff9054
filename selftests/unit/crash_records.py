"""Records of crashes for tests of what is made of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Phase

NOW = datetime(2026, 11, 21, 18, 15, 2, tzinfo=UTC)


def durability(**changes: Any) -> DurabilityRecord:
    fields: dict[str, Any] = {
        "storage_class": "fast",
        "failure": "node-failed",
        "node": "node-1",
        "read_on": "node-1",
        "crashed": NOW,
        "what": "power off",
        "acknowledged": 1930,
        "write_s": 5.02,
        "whole": 1931,
        "lost": [],
    }
    return DurabilityRecord(**fields | changes)


def failover(*seconds: float, **changes: Any) -> FailoverRecord:
    names = ("node seen to be lost", "new pod runs with the volume", "first durable write")
    return FailoverRecord(
        storage_class="fast",
        failed_node="node-1",
        node="node-2",
        failed=NOW,
        phases=[Phase(name=name, seconds=each) for name, each in zip(names, seconds, strict=False)],
        **changes,
    )
