"""The bytes that the run planned to claim of the storage, and those that were free there."""

from __future__ import annotations

from acceptance.report.gauges import Gauge, declare_gauges

declare_gauges(
    "pools",
    Gauge(
        name="pool_claimed_bytes",
        help="maximum of bytes that the run planned to claim at one time",
        samples=lambda record: iter([(record.claimed, {})]),
    ),
    Gauge(
        name="pool_free_bytes",
        help="bytes that were free in the storage before the run; absent if unknown",
        samples=lambda record: iter([(record.free, {})]),
    ),
)
