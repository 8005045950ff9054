"""The main figures on the first screen, each with its limit and its distance from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from acceptance.judging.rebuild_size import is_timed, least_size
from acceptance.limits.declared import BOUNDS
from acceptance.report.comparing.differences import candidates
from acceptance.report.figures import shown_labeled_interval, shown_value
from acceptance.report.lab import FLOOR_TIMES, has_floors
from acceptance.report.labels import LimitedMetrics, label_of_all, label_without_verdict, limited_metrics
from acceptance.results.bounds import Bound, bound_of
from acceptance.results.completeness import classes_under_test
from acceptance.results.document import Estimate, Results, Status, Verdict
from acceptance.results.metrics import STALL
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
"""Title by metric, of figures that are judged by pattern; the pattern stands next to the title."""
_TRIALS = {path: bound.tile for path, bound in BOUNDS.items() if bound.tile} | _OF_PATTERNS
"""Title by metric, of figures that only verdicts have."""
MOST = 8
"""Maximum number of figures with a limit that are shown if none of those above was measured.

This happens with your own profiles.
"""
NOT_KNOWN = "not known"
_DECADES = 1.0
"""The reach of the bar on each side of the limit: to a tenth of it, and to ten times."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """The place of a value and its interval: 0 is ten times worse than the limit, 0.5 the limit, 1 ten times better."""

    value: float
    low: float
    high: float
    words: str
    """Text such as `1.19x the limit`."""
    times: float
    """Times by which the worse end of the interval is better than the limit; the value's if there is no interval."""


@dataclass(frozen=True, kw_only=True)
class Tile:
    """One figure. `limit` is empty if the tier has none; `status` is that of all verdicts on the figure.

    `label`: the status in words.
    """

    title: str
    about: str
    value: str
    interval: str
    limit: str
    status: Status
    label: str
    bar: Bar | None
    floor: bool = False
    """True if the limit is a floor of a lab, which the figure exceeds many times over: no bar shows how many."""


def tiles(results: Results) -> dict[str, list[Tile]]:
    """Return the figures by class under test, in the order of reading; none for a class without known figures."""
    by_class = {name: list(_drop_bars(_of_class(results, name), results)) for name in classes_under_test(results)}
    return {name: class_tiles for name, class_tiles in by_class.items() if class_tiles}


def _drop_bars(class_tiles: Iterable[Tile], results: Results) -> Iterator[Tile]:
    """Yield the tiles unchanged, except those whose limits are floors of a lab: these lose their bar."""
    floors = has_floors(results)
    for tile in class_tiles:
        ample = tile.bar is None if tile.value == NOT_KNOWN else tile.bar is not None and tile.bar.times >= FLOOR_TIMES
        floor = floors and tile.status == "pass" and ample
        yield replace(tile, floor=True, bar=None) if floor else tile


def _of_class(results: Results, storage_class: str) -> list[Tile]:
    verdicts = [_timed_only(verdict, results) for verdict in results.verdicts if verdict.storage_class == storage_class]
    by_profile = candidates(results, storage_class)
    available = [load for load in _LOADS if load[1] in by_profile and load[2] in by_profile[load[1]].metrics]
    if not available:
        own = [
            (verdict.profile, verdict.profile, verdict.metric)
            for verdict in verdicts
            if verdict.subject in OF_ONE_VOLUME
            and verdict.rule in ("at_least", "at_most")
            and verdict.profile
            and verdict.metric
        ]
        available = [
            load for load in dict.fromkeys(own) if load[1] in by_profile and load[2] in by_profile[load[1]].metrics
        ]
    tier_metrics = limited_metrics(results)
    loads = [
        _load(title, by_profile[profile].metrics[metric], profile, metric, verdicts, tier_metrics)
        for title, profile, metric in available[:MOST]
    ]
    trials = [_trial(title, metric, verdicts, results.rebuilds) for metric, title in _TRIALS.items()]
    return [*loads, *(trial for trial in trials if trial is not None)]


def _load(
    title: str, estimate: Estimate, profile: str, metric: str, verdicts: Sequence[Verdict], tier_metrics: LimitedMetrics
) -> Tile:
    about = [
        verdict
        for verdict in verdicts
        if (verdict.profile, verdict.metric) == (profile, metric) and verdict.subject in OF_ONE_VOLUME
    ]
    limits = [verdict for verdict in about if verdict.rule in ("at_least", "at_most")]
    first = min(limits, key=lambda limit: ORDER[limit.status], default=None)
    bound = bound_of(first) if first is not None else None
    return Tile(
        title=title,
        about=f"{profile}: {metric}" if title != profile else metric,
        value=shown_value(estimate, metric),
        interval="" if metric == STALL else shown_labeled_interval(estimate),
        limit="" if bound is None else bound.words,
        status=worst(about) or "skipped",
        label=worst(about) or label_without_verdict(profile, metric, tier_metrics),
        bar=None if bound is None else _bar(bound, estimate.mean, estimate.low, estimate.high),
    )


def _trial(title: str, metric: str, verdicts: Sequence[Verdict], rebuilds: Sequence[RebuildRecord]) -> Tile | None:
    """Return the tile of the worst verdict; a verdict without a known figure is worst. None if none was judged."""
    about = [
        (verdict, bound)
        for verdict in verdicts
        if verdict.metric == metric and verdict.status != "skipped" and (bound := bound_of(verdict)) is not None
    ]
    if not about:
        return None
    verdict, bound = min(about, key=lambda pair: (ORDER[pair[0].status], _times_met(*pair)))
    assert verdict.unit is not None  # bound_of has checked it
    value = verdict.measured
    return Tile(
        title=title,
        about=f"{verdict.profile}: {metric}" if metric in _OF_PATTERNS else metric,
        value=NOT_KNOWN if value is None else format_quantity(value, unit=verdict.unit),
        interval=_at_least(verdict, rebuilds) if value is None else "",
        limit=bound.words,
        status=worst(verdict for verdict, _ in about) or "skipped",
        label=label_of_all([verdict for verdict, _ in about]),
        bar=None if value is None else _bar(bound, value, verdict.low, verdict.high),
    )


def _timed_only(verdict: Verdict, results: Results) -> Verdict:
    """Return the verdict without its figure if that comes from rebuilds that ended before they were timed."""
    if verdict.rule != "largest_volume" or all(map(is_timed, _of_rebuilds(verdict, results.rebuilds))):
        return verdict
    return verdict.model_copy(update={"measured": None})


def _at_least(verdict: Verdict, rebuilds: Sequence[RebuildRecord]) -> str:
    """Return the known lower bound of an unknown figure: `at least 987.3 GiB`."""
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
    """Return the times by which the value is better than the limit; 1 at the limit."""
    if bound.side == "at_least":
        return value / bound.value if bound.value > 0 else math.inf
    return bound.value / value if value > 0 else math.inf


def _bar(bound: Bound, value: float, low: float | None, high: float | None) -> Bar:
    edges = sorted(_times(bound, edge) for edge in (value if low is None else low, value if high is None else high))
    of_it = "" if bound.value <= 0 else f"{format_quantity(value / bound.value, unit='ratio', beside=1.0)} the limit"
    low_place, high_place = map(_place, edges)
    return Bar(value=_place(_times(bound, value)), low=low_place, high=high_place, words=of_it, times=edges[0])


def _place(times: float) -> float:
    if times <= 0:
        return 0.0
    return min(1.0, max(0.0, 0.5 + math.log10(times) / (2 * _DECADES))) if math.isfinite(times) else 1.0
