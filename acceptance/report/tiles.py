"""The figures of the first screen: what is asked for first, each with its limit and where it lies to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from acceptance.judging.rebuild_size import is_timed, least_size
from acceptance.limits.declared import BOUNDS
from acceptance.report.comparing.differences import candidates
from acceptance.report.figures import shown_interval
from acceptance.report.lab import FLOOR_TIMES, has_floors
from acceptance.results.bounds import Bound, bound_of
from acceptance.results.completeness import classes_under_test
from acceptance.results.document import Estimate, Results, Status, Verdict
from acceptance.results.rebuilds import RebuildRecord
from acceptance.results.verdicts import OF_ONE_VOLUME, ORDER, worst
from acceptance.text.quantities import format_quantity

# Title, profile and metric of loads on one volume.
_LOADS = (
    ("Durable writes", "sync-write-iops", "write.iops"),
    ("Durable write, 99 % within", "etcd-fsync", "sync.latency.p99"),
    ("Random reads", "random-read-iops", "read.iops"),
    ("Random writes", "random-write-iops", "write.iops"),
    ("Read latency, mean", "random-read-latency", "read.latency.mean"),
    ("Write latency, mean", "random-write-latency", "write.latency.mean"),
    ("Reading", "sequential-read-bandwidth", "read.bandwidth"),
    ("Writing", "sequential-write-bandwidth", "write.bandwidth"),
)
_OF_PATTERNS = {"rebuild.largest_volume": "Rebuilt within 24 h"}
"""Title by metric, of what is judged by pattern, which is named beside it."""
_TRIALS = {path: bound.tile for path, bound in BOUNDS.items() if bound.tile} | _OF_PATTERNS
"""Title by metric, of what only verdicts tell of."""
MOST = 8
"""Where none of those was measured, as with profiles of one's own, what has a limit is shown, up to so many."""
NOT_KNOWN = "not known"
_DECADES = 1.0
"""How far the bar reaches to each side of the limit: to a tenth of it, and to ten times."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """Where a value and its interval lie, from 0, ten times worse than the limit, over 0.5 to 1, ten times better."""

    value: float
    low: float
    high: float
    words: str
    """`1.19x the limit`"""
    times: float
    """how many times better than the limit the worse end of the interval is, or the value where there is none"""


@dataclass(frozen=True, kw_only=True)
class Tile:
    """One figure. `limit` is empty where the tier has none; `status` is that of all verdicts on the figure."""

    title: str
    about: str
    value: str
    interval: str
    limit: str
    status: Status
    bar: Bar | None
    floor: bool = False
    """whether the limit is a floor of a lab, which the figure meets many times over: no bar shows how many"""


def tiles(results: Results) -> dict[str, list[Tile]]:
    """By class under test, in the order of reading; nothing for a class of which nothing is known."""
    found = {name: list(_told(_of_class(results, name), results)) for name in classes_under_test(results)}
    return {name: some for name, some in found.items() if some}


def _told(shown: Iterable[Tile], results: Results) -> Iterator[Tile]:
    """As they are, but for limits that are floors of a lab."""
    floors = has_floors(results)
    for tile in shown:
        met = tile.bar is None if tile.value == NOT_KNOWN else tile.bar is not None and tile.bar.times >= FLOOR_TIMES
        floor = floors and tile.status == "pass" and met
        yield replace(tile, floor=True, bar=None) if floor else tile


def _of_class(results: Results, storage_class: str) -> list[Tile]:
    verdicts = [_known(verdict, results) for verdict in results.verdicts if verdict.storage_class == storage_class]
    measured = candidates(results, storage_class)
    named = [load for load in _LOADS if load[1] in measured and load[2] in measured[load[1]].metrics]
    if not named:
        own = [
            (verdict.profile, verdict.profile, verdict.metric)
            for verdict in verdicts
            if verdict.subject in OF_ONE_VOLUME
            and verdict.rule in ("at_least", "at_most")
            and verdict.profile
            and verdict.metric
        ]
        named = [each for each in dict.fromkeys(own) if each[1] in measured and each[2] in measured[each[1]].metrics]
    loads = [
        _load(title, measured[profile].metrics[metric], profile, metric, verdicts)
        for title, profile, metric in named[:MOST]
    ]
    trials = [_trial(title, metric, verdicts, results.rebuilds) for metric, title in _TRIALS.items()]
    return [*loads, *(trial for trial in trials if trial is not None)]


def _load(title: str, estimate: Estimate, profile: str, metric: str, verdicts: Sequence[Verdict]) -> Tile:
    about = [
        verdict
        for verdict in verdicts
        if (verdict.profile, verdict.metric) == (profile, metric) and verdict.subject in OF_ONE_VOLUME
    ]
    limits = [each for each in about if each.rule in ("at_least", "at_most")]
    first = min(limits, key=lambda limit: ORDER[limit.status], default=None)
    bound = bound_of(first) if first is not None else None
    return Tile(
        title=title,
        about=f"{profile}: {metric}" if title != profile else metric,
        value=format_quantity(estimate.mean, unit=estimate.unit),
        interval=shown_interval(estimate),
        limit="" if bound is None else bound.words,
        status=worst(about) or "skipped",
        bar=None if bound is None else _bar(bound, estimate.mean, estimate.low, estimate.high),
    )


def _trial(title: str, metric: str, verdicts: Sequence[Verdict], rebuilds: Sequence[RebuildRecord]) -> Tile | None:
    """The worst of its verdicts, of which those are the worst whose figure is not known; None where none was judged."""
    about = [
        (each, bound)
        for each in verdicts
        if each.metric == metric and each.status != "skipped" and (bound := bound_of(each)) is not None
    ]
    if not about:
        return None
    verdict, bound = min(about, key=lambda each: (ORDER[each[0].status], _times_met(*each)))
    assert verdict.unit is not None  # bound_of has seen to it
    value = verdict.measured
    return Tile(
        title=title,
        about=f"{verdict.profile}: {metric}" if metric in _OF_PATTERNS else metric,
        value=NOT_KNOWN if value is None else format_quantity(value, unit=verdict.unit),
        interval=_at_least(verdict, rebuilds) if value is None else "",
        limit=bound.words,
        status=worst(each for each, _ in about) or "skipped",
        bar=None if value is None else _bar(bound, value, verdict.low, verdict.high),
    )


def _known(verdict: Verdict, results: Results) -> Verdict:
    """Without its figure where that was computed of rebuilds that were over before they were timed."""
    if verdict.rule != "largest_volume" or all(map(is_timed, _of_rebuilds(verdict, results.rebuilds))):
        return verdict
    return verdict.model_copy(update={"measured": None})


def _at_least(verdict: Verdict, rebuilds: Sequence[RebuildRecord]) -> str:
    """`at least 987.3 GiB`: what is known of a figure that is not."""
    sizes = [size for rebuild in _of_rebuilds(verdict, rebuilds) if (size := least_size(rebuild)) is not None]
    return f"at least {format_quantity(min(sizes), unit='B')}" if sizes else ""


def _of_rebuilds(verdict: Verdict, rebuilds: Sequence[RebuildRecord]) -> list[RebuildRecord]:
    return [
        rebuild
        for rebuild in rebuilds
        if (rebuild.storage_class, rebuild.pattern) == (verdict.storage_class, verdict.profile)
    ]


def _times_met(verdict: Verdict, bound: Bound) -> float:
    return 0.0 if verdict.measured is None else _times(bound, verdict.measured)


def _times(bound: Bound, value: float) -> float:
    """How many times better than the limit; 1 at the limit."""
    if bound.side == "at_least":
        return value / bound.value if bound.value > 0 else math.inf
    return bound.value / value if value > 0 else math.inf


def _bar(bound: Bound, value: float, low: float | None, high: float | None) -> Bar:
    edges = sorted(_times(bound, each) for each in (value if low is None else low, value if high is None else high))
    of_it = "" if bound.value <= 0 else f"{format_quantity(value / bound.value, unit='ratio', beside=1.0)} the limit"
    low_place, high_place = map(_place, edges)
    return Bar(value=_place(_times(bound, value)), low=low_place, high=high_place, words=of_it, times=edges[0])


def _place(times: float) -> float:
    if times <= 0:
        return 0.0
    return min(1.0, max(0.0, 0.5 + math.log10(times) / (2 * _DECADES))) if math.isfinite(times) else 1.0
