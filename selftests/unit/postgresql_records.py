"""Records of a PostgreSQL that was killed, for tests of what is made of them."""

from __future__ import annotations

from typing import Any

from acceptance.results.postgresql import PostgresqlRecord
from selftests.unit.crash_records import NOW


def postgresql(**changes: Any) -> PostgresqlRecord:
    fields: dict[str, Any] = {
        "storage_class": "fast",
        "image": "postgres:1",
        "version": "17.6",
        "node": "node-1",
        "read_on": "node-1",
        "killed": NOW,
        "acknowledged": 1200,
        "write_s": 5.1,
        "lost": [],
        "recovered_s": 2.13,
        "transactions": 812.4,
        "commits_timed": 1201,
        "commit_p50_s": 0.0012,
        "commit_p99_s": 0.0049,
    }
    return PostgresqlRecord(**fields | changes)
