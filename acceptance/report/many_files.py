"""Volumes of very many files, for the report: how fast they were, how soon pods started. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acceptance.limits.declared import MANY_FILES
from acceptance.report.picture import Picture
from acceptance.report.pictures import rates_by_files, starts_by_files
from acceptance.report.pictures.levels import Level
from acceptance.results.bounds import bounds_of
from acceptance.results.document import Results
from acceptance.results.many_files import (
    DONE,
    START_KINDS,
    STARTS,
    FileRate,
    ManyFilesRecord,
    StartKind,
    StartRecord,
)
from acceptance.statistics.ratios import independent_ratio
from acceptance.text.quantities import format_quantity


@dataclass(frozen=True, kw_only=True)
class RateRow:
    """One operation: files a second with its interval, the same on the baseline, and how many times that is."""

    name: str
    files: str
    rate: str
    interval: str
    baseline: str
    ratio: str


@dataclass(frozen=True, kw_only=True)
class StartRow:
    """Starts of one kind: how soon on the empty volume, and on the full one."""

    name: str
    empty: str
    full: str


@dataclass(frozen=True, kw_only=True)
class ManyFilesSection:
    """The volumes of one class."""

    storage_class: str
    baseline: str
    confidence: str
    files: str
    rates: list[RateRow]
    starts: list[StartRow]
    pictures: list[Picture]
    sentences: list[str]


def many_files_sections(results: Results) -> list[ManyFilesSection]:
    """One of each candidate, in the order in which they were asked."""
    beside = next((each for each in results.many_files if each.role == "baseline"), None)
    return [_section(each, beside, results) for each in results.many_files if each.role == "candidate"]


def _section(record: ManyFilesRecord, beside: ManyFilesRecord | None, results: Results) -> ManyFilesSection:
    theirs = {each.operation: each for each in beside.rates} if beside else {}
    pictures = (rates_by_files(record), starts_by_files(record, limits=tuple(_levels(record, results))))
    return ManyFilesSection(
        storage_class=record.storage_class,
        baseline=beside.storage_class if beside else "",
        confidence=f"{100 * record.confidence:.4g} %",
        files=f"{record.files:,}",
        rates=[_rate_row(each, theirs.get(each.operation), record) for each in record.rates],
        starts=[row for kind in START_KINDS if (row := _start_row(record, kind)) is not None],
        pictures=[each for each in pictures if each],
        sentences=list(_sentences(record)),
    )


def _rate_row(rate: FileRate, theirs: FileRate | None, record: ManyFilesRecord) -> RateRow:
    return RateRow(
        name=DONE[rate.operation],
        files=f"{rate.files:,}",
        rate=_per_s(rate.seconds_each),
        interval="" if rate.low is None or rate.high is None else f"{_per_s(rate.high)} to {_per_s(rate.low)}",
        baseline="" if theirs is None else _per_s(theirs.seconds_each),
        ratio="" if theirs is None else _ratio(rate, theirs, record),
    )


def _ratio(rate: FileRate, theirs: FileRate, record: ManyFilesRecord) -> str:
    """How many times the baseline's rate it is; the two were done one after the other."""
    times, others = ([s / n for s, n in zip(each.seconds, each.counts, strict=True)] for each in (rate, theirs))
    found = independent_ratio(others, times, confidence=record.confidence)
    if found is None:
        return ""
    return f"{found.mean:.3g}x ({found.low:.3g}x to {found.high:.3g}x)"


def _per_s(seconds_each: float) -> str:
    return f"{1 / seconds_each:,.0f}" if seconds_each > 0.0 else "unknown"


def _start_row(record: ManyFilesRecord, kind: StartKind) -> StartRow | None:
    found = [each for each in record.starts if each.kind == kind]
    if not found:
        return None
    return StartRow(
        name=STARTS[kind],
        empty=_times([each for each in found if not each.files]),
        full=_times([each for each in found if each.files]),
    )


def _times(starts: list[StartRecord]) -> str:
    return ", ".join(
        "not in time" if each.seconds is None else format_quantity(each.seconds, unit="s") for each in starts
    )


def _levels(record: ManyFilesRecord, results: Results) -> Iterator[Level]:
    """The limits on starts that were judged."""
    about = (record.storage_class, MANY_FILES.profile)
    verdicts = [each for each in results.verdicts if (each.storage_class, each.profile) == about]
    limits = {each.metric: each.limit for each in verdicts}
    for metric, bounds in bounds_of(verdicts).items():
        if metric in ("start", "other_group"):
            yield Level(value=bounds[0].value, words=limits[metric])


def _sentences(record: ManyFilesRecord) -> Iterator[str]:
    yield (
        f"{record.files:,} empty files in folders, by one pod on {record.node}; creating and deleting count until they "
        "are durable, folder by folder. The next pod lists and looks up the files."
    )
    if record.files < record.asked:
        yield f"{record.asked:,} files were wanted; the time to create them ended before all were there."
    if record.no_group:
        yield f"No start with another fsGroup was timed: {record.no_group}."
    for each in record.starts:
        if each.seconds is None:
            yield f"A pod ({STARTS[each.kind]}) did not start on {each.files:,} files: {each.why}"
