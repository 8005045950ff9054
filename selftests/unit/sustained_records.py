"""Sustained loads for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from acceptance.limits.limit import Limit
from acceptance.limits.speed import speed_limit, sustained_limit
from acceptance.loads.fio.samples import Sample
from acceptance.measuring.load import PreparedVolume, Segment
from acceptance.measuring.measure import Recording
from acceptance.results.document import SustainedRecord
from acceptance.results.metrics import Metric
from acceptance.trials.speed.sustained import sustained_record
from selftests.unit.simulated_load import second
from selftests.unit.simulated_standstills import profile

IOPS = Metric.parse("write.iops")
NOW = datetime(2026, 11, 21, 18, 15, 2, tzinfo=UTC)


def at_least(rate: float) -> Limit:
    return sustained_limit(speed_limit("writes", IOPS, "at_least", rate, because="commits wait"))


def samples_of(rates: Sequence[float]) -> list[Sample]:
    return [second("write", rate=rate, block_size=4096) for rate in rates]


def sustained(rates: Sequence[float], *, asked_s: int = 0, cache: int | None = None) -> SustainedRecord:
    """The record of a load of so many operations in each second; `asked_s`: as many seconds, unless given."""
    segment = Segment(pod="p", node="n", fio_version="fio-3.33", start_time=NOW, samples=tuple(samples_of(rates)))
    volume = PreparedVolume(storage_class="fast", node="n", test_size=2**30)
    recording = Recording(profile=profile(durable=True), volume=volume, role="candidate", segments=(segment,))
    return sustained_record(recording, asked_s=asked_s or len(rates), limits=[at_least(1)], cache=cache)
