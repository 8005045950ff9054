"""Stalls: the longest time in which storage let an operation wait, from latencies or from silence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.loads.fio.samples import Sample
from acceptance.text.quantities import format_quantity

LOOK_S = 1.0
"""fio means to speak once a second, and cannot while one of its jobs waits for storage."""
WORTH_TELLING_S = 2.0
"""So long a stall shows in the rates too, and their reader wants to know of it."""


@dataclass(frozen=True, kw_only=True)
class Stall:
    """An operation waited from `at_least` to `at_most`; `after` is the load that went before it. All in s.

    The two are the same where latencies are known. `silent`: the load generator said nothing meanwhile, as it does when
    one of its jobs can do nothing.
    """

    at_least: float
    at_most: float
    after: float
    silent: bool

    def describe(self) -> str:
        """`storage stalled for 14.9 s, after 12 s of load: in that time nothing was read or written`"""
        took, after = (format_quantity(value, unit="s") for value in (self.at_least, round(self.after)))
        if self.silent:
            return f"storage stalled for {took}, after {after} of load: in that time nothing was read or written"
        return f"one operation, after {after} of load, took {took}"


def longest_stall(segments: Sequence[Sequence[Sample]]) -> Stall | None:
    """The longest of all segments; None where there is no sample."""
    stalls = [stall for samples in segments for stall in _stalls(samples)]
    return max(stalls, key=lambda stall: (stall.at_least, stall.at_most), default=None)


def stood_still(segments: Sequence[Sequence[Sample]]) -> bool:
    """Whether the load generator, which speaks once a second, was silent for two, or said that nothing was done."""
    return any(
        _silence_s(sample, fastest=fastest) >= LOOK_S or not _ios(sample)
        for samples in segments
        for fastest in [_fastest(samples)]
        for sample in samples
    )


def _fastest(samples: Sequence[Sample]) -> float:
    return max((_ios(sample) / sample.duration_s for sample in samples), default=0.0)


def _silence_s(sample: Sample, *, fastest: float) -> float:
    """By how much a sample is late.

    One in which more was done than in two of the fastest seconds is late for want of CPU: the load went on.
    """
    went_on = _ios(sample) > 2 * LOOK_S * fastest
    return 0.0 if went_on else max(0.0, sample.duration_s - sample.looks * LOOK_S)


def _stalls(samples: Sequence[Sample]) -> Iterator[Stall]:
    """What each sample of a segment shows; samples in which nothing was done are one stall as long as they last."""
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
    """From the longest latency, as exact as fio's histogram (to 1.6 %); without any, from how late the sample came."""
    middles_ns = [middle for counts in sample.counts.values() for middle in counts.histogram]
    silence = _silence_s(sample, fastest=fastest)
    if not middles_ns:
        at_most = min(sample.duration_s, silence + sample.looks * LOOK_S)
        return Stall(at_least=silence, at_most=at_most, after=after, silent=True)
    took = max(middles_ns) / 1e9
    return Stall(at_least=took, at_most=took, after=after, silent=silence >= took - 2 * LOOK_S)


def _ios(sample: Sample) -> int:
    return sum(counts.ios for counts in sample.counts.values())
