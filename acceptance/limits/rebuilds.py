"""The section `rebuild` of a tier, the requirements on rebuilds, as pydantic models and as plain limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from acceptance.limits.limit import Limit
from acceptance.limits.sections import Section, SectionSettings
from acceptance.limits.values import Entry, Ratio, Sentence, Share, Size, Time
from acceptance.results.rebuilds import PATTERNS, Pattern
from acceptance.results.requirement import FigureUnit, Operator

Kind = Literal["largest_volume", "foreground_iops", "foreground_p99"]
TIME_LIMIT_S = 24 * 3600.0
"""Longhorn gives a rebuild 24 h (its setting long-grpc-timeout); a longer lack of a replica is a risk anywhere."""

_FORMS: dict[Kind, tuple[str, Operator, FigureUnit]] = {
    "largest_volume": ("rebuild.largest_volume", "at_least", "B"),
    "foreground_iops": ("write.iops", "at_least", "ratio"),
    "foreground_p99": ("write.latency.p99", "at_most", "ratio"),
}


class _Largest(Entry):
    at_least: Size
    because: Sentence


class _Iops(Entry):
    at_least: Share
    because: Sentence


class _P99(Entry):
    at_most: Ratio
    because: Sentence


class _Foreground(Entry):
    iops: _Iops | None = Field(alias="write.iops", default=None)
    p99: _P99 | None = Field(alias="write.latency.p99", default=None)
    some_of: ClassVar[tuple[str, ...]] = ("iops", "p99")


class RebuildEntry(Entry):
    """`time_limit`; `largest_volume` by pattern; `foreground` by metric, for every pattern."""

    time_limit: Time | None = None
    largest_volume: dict[Pattern, _Largest] = Field(default_factory=dict)
    foreground: _Foreground | None = None
    some_of: ClassVar[tuple[str, ...]] = ("time_limit", "largest_volume", "foreground")


def _limits(entry: RebuildEntry, _: str, settings: SectionSettings) -> Iterator[Limit]:
    """Yield the limits of the section; those on the foreground once for each pattern."""
    front = entry.foreground
    for pattern in PATTERNS:
        bounds: dict[Kind, tuple[float, str]] = {}
        if (largest := entry.largest_volume.get(pattern)) is not None:
            bounds["largest_volume"] = largest.at_least, largest.because
        if front is not None and (iops := front.iops) is not None:
            bounds["foreground_iops"] = iops.at_least, iops.because
        if front is not None and (p99 := front.p99) is not None:
            bounds["foreground_p99"] = p99.at_most, p99.because
        for rule, (bound, because) in bounds.items():
            yield rebuild_limit(pattern, rule, bound, because=because, time_limit_s=settings.time_limit_s)


def rebuild_limit(
    pattern: Pattern, rule: Kind, bound: float, *, because: str, time_limit_s: float = TIME_LIMIT_S
) -> Limit:
    """Return a limit on the rebuild of a volume that holds `pattern`.

    `bound`: bytes for the largest volume; for the foreground, its metric during the rebuild as a multiple of the value
    before it.
    """
    path, side, unit = _FORMS[rule]
    return Limit(
        section="rebuild",
        rule=rule,
        profile=pattern,
        path=path,
        operator=side,
        bound=bound,
        unit=unit,
        at={"time_limit_s": time_limit_s} if rule == "largest_volume" else {},
        because=because,
    )


REBUILD = Section(key="rebuild", form=RebuildEntry, limits=_limits, asked_with=frozenset({"destructive"}))
