"""Stalls: the longest time that an operation waited for storage, from latencies or from silence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.loads.fio.samples import Sample
from acceptance.text.quantities import format_quantity

LOOK_S = 1.0
"""The interval (s) at which fio prints, except while one of its jobs waits for storage."""
WORTH_TELLING_S = 2.0
"""The duration (s) from which on a stall also affects the rates, so that their reader should know of it."""


@dataclass(frozen=True, kw_only=True)
class Stall:
    """An operation that waited from `at_least` to `at_most`, after `after` of load. All in s.

    The two bounds are equal if latencies are known. `silent`: the load generator printed nothing meanwhile, as it does
    if one of its jobs cannot proceed.
    """

    at_least: float
    at_most: float
    after: float
    silent: bool

    def describe(self) -> str:
        """Return `storage stalled for 14.9 s, after 12 s of load: in that time nothing was read or written`."""
        took, after = (format_quantity(value, unit="s") for value in (self.at_least, round(self.after)))
        if self.silent:
            return f"storage stalled for {took}, after {after} of load: in that time nothing was read or written"
        return f"one operation, after {after} of load, took {took}"


def longest_stall(segments: Sequence[Sequence[Sample]]) -> Stall | None:
    """Return the longest stall of all segments; None if there is no sample."""
    stalls = [stall for samples in segments for stall in _stalls(samples)]
    return max(stalls, key=lambda stall: (stall.at_least, stall.at_most), default=None)


def stood_still(segments: Sequence[Sequence[Sample]]) -> bool:
    """Return whether the load generator was silent for 2 s, or reported a second without operations."""
    return any(
        _silence_s(sample, fastest=fastest) >= LOOK_S or not _ios(sample)
        for samples in segments
        for fastest in [_fastest(samples)]
        for sample in samples
    )


def _fastest(samples: Sequence[Sample]) -> float:
    return max((_ios(sample) / sample.duration_s for sample in samples), default=0.0)


def _silence_s(sample: Sample, *, fastest: float) -> float:
    """Return by how much a sample is late (s).

    A sample with more operations than two of the fastest seconds is late for lack of CPU: the load continued.
    """
    went_on = _ios(sample) > 2 * LOOK_S * fastest
    return 0.0 if went_on else max(0.0, sample.duration_s - sample.looks * LOOK_S)


def _stalls(samples: Sequence[Sample]) -> Iterator[Stall]:
    """Yield the stall that each sample of a segment shows; samples without operations form one stall."""
    after = still = 0.0
    fastest = _fastest(samples)
    for sample in samples:
        if _ios(sample):
            yield _within(sample, after=after, fastest=fastest)
            still = 0.0
        else:
            still += sample.duration_s
            yield Stall(
                at_least=still, at_most=still + 2 * LOOK_S, after=after + sample.duration_s - still, silent=True
            )
        after += sample.duration_s


def _within(sample: Sample, *, after: float, fastest: float) -> Stall:
    """Return the stall by the longest latency, as exact as fio's histogram (to 1.6 %), else by the sample's delay."""
    middles_ns = [middle for counts in sample.counts.values() for middle in counts.histogram]
    silence = _silence_s(sample, fastest=fastest)
    if not middles_ns:
        at_most = min(sample.duration_s, silence + sample.looks * LOOK_S)
        return Stall(at_least=silence, at_most=at_most, after=after, silent=True)
    took = max(middles_ns) / 1e9
    return Stall(at_least=took, at_most=took, after=after, silent=silence >= took - 2 * LOOK_S)


def _ios(sample: Sample) -> int:
    return sum(counts.ios for counts in sample.counts.values())
