"""Sentences about rebuilds: every sentence contains the arithmetic that the verdict rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.ratio_words import share
from acceptance.results.rebuilds import RebuildTimes, TimedSize
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import (
    Renderer,
    Sentence,
    held_against,
    how_to_judge,
    reason_for_limit,
    surely,
    wanted_of,
    wherever_it_lies,
)

Facts = dict[str, Any]
"""The fields of one of the models of `acceptance.results.rebuilds`."""
_LARGER = "a larger --storage-rebuild size would decide it"
_MORE = "more rebuilds (--storage-rebuild repeats) would decide it"


def no_limit(verdict: Verdict, *, times: Facts) -> str:
    """Return the sentence if the tier has no limit on rebuilds of this pattern."""
    text = arithmetic(RebuildTimes.model_validate(times))
    example = f"rebuild: {{largest_volume: {{{verdict.profile}: {{at_least: SIZE, because: REASON}}}}}}"
    return f"{verdict.profile} on {verdict.storage_class}: measured, no limit ({text}). {how_to_judge(example)}"


def within(verdict: Verdict, *, times: Facts, would_take_s: Sequence[float] = ()) -> str:
    """Return the sentence for a pass. `would_take_s`: mean, minimum and maximum for a volume of the limit's size."""
    return f"{_largest_volume(verdict, times, would_take_s)}."


def outside(verdict: Verdict, *, times: Facts, would_take_s: Sequence[float] = ()) -> str:
    """Return the sentence for a fail."""
    return f"{_largest_volume(verdict, times, would_take_s)}{reason_for_limit(verdict)}."


def larger_took_no_longer(verdict: Verdict, *, times: Facts) -> str:
    """Return the sentence for a larger size that took no longer, so that no other size can be projected."""
    statement = _largest_volume(verdict, times, ())
    return f"{statement}, which these two sizes cannot show, because the larger took no longer; {_LARGER}."


def inexact_times(
    verdict: Verdict,
    *,
    times: Facts,
    would_take_s: Sequence[float] = (),
    between_s: Sequence[float] = (),
    between_bytes: Sequence[float | None] = (),
) -> str:
    """Return the sentence for times that are too uncertain: their minimum would pass, and their maximum would fail.

    `between_s`: the time of a volume of the limit's size, from two sizes. `between_bytes`: the largest volume from one
    size; None if it has no bound.
    """
    if between_s:
        least, most = (format_quantity(edge, unit="s") for edge in between_s)
        open_ = f"{least} to {most}"
    else:
        low, high = (_bytes(edge, beside=verdict.requirement.bound) for edge in between_bytes)
        open_ = f"{low} and more" if high is None else f"{low} to {high}"
    statement = _largest_volume(verdict, times, would_take_s)
    return f"{statement}, which the measured times cannot decide ({open_}); {_LARGER}."


def slower_by_size(verdict: Verdict, *, times: Facts, would_take_s: Sequence[float]) -> str:
    """Return the sentence for a larger size that took longer per byte, so that nothing passes."""
    return f"{_largest_volume(verdict, times, would_take_s)}, and larger volumes may be slower still; {_LARGER}."


def measured_once(verdict: Verdict, *, times: Facts, off_by: float, would_take_s: Sequence[float] = ()) -> str:
    """Return the sentence for a single rebuild near the limit. `off_by`: the possible error as a share of its time."""
    measurements = "one rebuild" if len(times["sizes"]) == 1 else "one rebuild of each size"
    statement = _largest_volume(verdict, times, would_take_s)
    close = f"too close to be decided by {measurements}, which may be off by {100 * off_by:.0f} %"
    return f"{statement}, {close}; {_MORE}."


def on_both_sides(verdict: Verdict, *, times: Facts, would_take_s: Sequence[float] = ()) -> str:
    """Return the sentence for a limit within the interval of repeated rebuilds."""
    return f"{_largest_volume(verdict, times, would_take_s)}, which lies within that interval; {_MORE}."


def foreground_unknown(verdict: Verdict, *, missing: str = "") -> str:
    """Return the sentence for an unknown foreground load. `missing`: the reason that the end of the load reported."""
    reason = missing or "in some part of it no write was completed"
    return f"{_foreground(verdict)} is not known before or during the rebuild: {reason}; so it cannot be judged."


def foreground_too_short(verdict: Verdict, *, before: float, during: float) -> str:
    """Return the sentence for foreground figures without an interval."""
    return (
        f"{_change(verdict, before, during)}; the load stalled, or the rebuild was over too soon for a confidence "
        f"interval; {_LARGER}."
    )


def foreground_held(verdict: Verdict, *, before: float, during: float) -> Sentence:
    """Return the sentence for a foreground figure that was compared with its limit."""
    assert verdict.measured is not None and verdict.low is not None and verdict.high is not None
    assert verdict.confidence is not None
    bound = verdict.requirement.bound
    mean, low, high = (
        _remaining_share(verdict, value, beside=bound) for value in (verdict.measured, verdict.low, verdict.high)
    )
    remainder = f"{mean} of that before" if _of_iops(verdict) else mean
    return held_against(
        verdict,
        f"{_change(verdict, before, during)}, {remainder} ({surely(verdict.confidence, low, high)})",
        left_open="a larger --storage-rebuild size or more repeats would decide it",
    )


SENTENCES: dict[str, Renderer] = {
    "unlimited": no_limit,
    "within": within,
    "outside": outside,
    "larger_took_no_longer": larger_took_no_longer,
    "inexact_times": inexact_times,
    "slower_by_size": slower_by_size,
    "measured_once": measured_once,
    "on_both_sides": on_both_sides,
    "foreground_unknown": foreground_unknown,
    "foreground_too_short": foreground_too_short,
    **wherever_it_lies("foreground", foreground_held),
}


def arithmetic(times: RebuildTimes, *, beside: float | None = None) -> str:
    """Return `rebuilt 2 GiB in 31 s (measured once, to within 1 s); in 24 h that is 5.444 TiB`.

    For two sizes: `rebuilt 5 GiB in 18 s and 20 GiB in 63 s (each measured once, to within 1 s): 3 s to start, then
    341.3 MiB/s; in 24 h that is 28.12 TiB`. For a rebuild that was over before it was timed: `that is not known, but
    at least 987.3 GiB`. Failed attempts are counted, because the time includes them.
    """
    division = f", divided by {times.snapshots} snapshots," if times.snapshots > 1 else ""
    limit = format_quantity(times.time_limit_s, unit="s")
    return f"rebuilt {_timings(times)}; in {limit}{division} that is {_largest(times, beside)}"


def projection(size: float, would_take_s: Sequence[float]) -> str:
    """Return `1 TiB would take 51.2 min (41 min to 64 min)`; the seconds are the mean, the minimum and the maximum."""
    mean, low, high = (format_quantity(max(0.0, seconds), unit="s") for seconds in would_take_s)
    return f"{format_quantity(size, unit='B')} would take {mean} ({low} to {high})"


def _largest_volume(verdict: Verdict, times: Facts, would_take_s: Sequence[float]) -> str:
    bound = verdict.requirement.bound
    assert bound is not None
    parts = [arithmetic(RebuildTimes.model_validate(times), beside=bound)]
    if would_take_s:
        parts.append(projection(bound, would_take_s))
    return f"{verdict.profile} on {verdict.storage_class}: {'; '.join(parts)}; expected {wanted_of(verdict)}"


def _largest(times: RebuildTimes, beside: float | None) -> str:
    """Return `5.444 TiB (98% CI 5.1 TiB to 5.9 TiB)` or `not known, but at least 987.3 GiB`."""
    if times.largest is None:
        return "not known" if times.at_least is None else f"not known, but at least {_bytes(times.at_least)}"
    figure = format_quantity(times.largest, unit="B", beside=beside)
    if times.low is None:
        return figure
    low = format_quantity(times.low, unit="B", beside=beside)
    return f"{figure} ({surely(times.confidence, low, _bytes(times.high, beside=beside))})"


def _timings(times: RebuildTimes) -> str:
    """Return `2 GiB in 31 s (measured once, to within 1 s)`."""
    if len(times.sizes) == 1:
        often = "measured once" if times.repeats == 1 else f"mean of {times.repeats} rebuilds"
    else:
        often = "each measured once" if times.repeats == 1 else f"means of {times.repeats} rebuilds each"
    noun = "failed attempt" if times.failures == 1 else "failed attempts"
    attempts = f", with {times.failures} {noun}" if times.failures else ""
    exact = format_quantity(times.uncertainty_s, unit="s")
    return f"{' and '.join(map(_size_in, times.sizes))} ({often}, to within {exact}{attempts}){_line(times)}"


def _size_in(rebuild: TimedSize) -> str:
    return f"{format_quantity(rebuild.size, unit='B')} in {format_quantity(rebuild.seconds, unit='s')}"


def _line(times: RebuildTimes) -> str:
    """Return `: 3 s to start, then 341.3 MiB/s` if two sizes show it."""
    if times.pace is None or times.start_up_s is None:
        return ""
    if times.pace <= 0.0:
        return ": the larger took no longer, so other sizes cannot be calculated from both, and only the larger counts"
    rate = format_quantity(1 / times.pace, unit="B/s")
    if times.grows_faster:
        return f": the larger took more time per byte, {rate} between both"
    start = format_quantity(times.start_up_s, unit="s") if times.start_up_s > 0.0 else "no measurable time"
    return f": {start} to start, then {rate}"


def _bytes(size: float | None, *, beside: float | None = None) -> str | None:
    return None if size is None else format_quantity(size, unit="B", beside=beside)


def _foreground(verdict: Verdict) -> str:
    return f"{verdict.metric} of synchronous writes on {verdict.storage_class} ({verdict.profile})"


def _change(verdict: Verdict, before: float, during: float) -> str:
    was, is_ = (format_quantity(value, unit="1/s" if _of_iops(verdict) else "s") for value in (before, during))
    return f"{_foreground(verdict)} was {was} before the rebuild and {is_} during it"


def _of_iops(verdict: Verdict) -> bool:
    return verdict.rule == "foreground_iops"


def _remaining_share(verdict: Verdict, ratio: float, *, beside: float | None) -> str:
    """Return `40 %` for IOPS, `5x` for a latency."""
    return share(ratio, beside=beside) if _of_iops(verdict) else format_quantity(ratio, unit="ratio", beside=beside)
