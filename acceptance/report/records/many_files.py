"""Volumes of very many files, for the report: their rates, and start times of pods. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.limits.declared import MANY_FILES
from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Figure, Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, name, numbers, on, words
from acceptance.report.pictures import rates_by_files, starts_by_files
from acceptance.report.pictures.levels import Level
from acceptance.results.bounds import bounds_of
from acceptance.results.document import Results
from acceptance.results.many_files import (
    FILE_OUTCOMES,
    START_KINDS,
    STARTS,
    FileRate,
    ManyFilesRecord,
    StartKind,
    StartRecord,
)
from acceptance.statistics.ratios import independent_ratio
from acceptance.text.quantities import format_quantity


@in_chapter("many-files")
def many_files_parts(results: Results) -> Iterator[Part]:
    """Return a part for each candidate, in the order in which they were tested."""
    beside = next((record for record in results.many_files if record.role == "baseline"), None)
    return (_part(record, beside, results) for record in results.many_files if record.role == "candidate")


def _part(record: ManyFilesRecord, beside: ManyFilesRecord | None, results: Results) -> Part:
    baseline_rates = {rate.operation: rate for rate in beside.rates} if beside else {}
    baseline_heads = () if beside is None else (name(beside.storage_class), "Times as fast")
    heads = ("Files", "Files a second", f"{100 * record.confidence:.4g} % interval", *baseline_heads)
    rates = Table(
        label="Files a second",
        columns=(*words("Operation"), *numbers(*heads)),
        rows=[_rate_row(rate, baseline_rates.get(rate.operation), record)[: 1 + len(heads)] for rate in record.rates],
    )
    full = f"Start time with {record.files:,} files"
    starts = Table(
        label="Start times of pods",
        columns=words("Pod with", "Start time on the empty volume", full),
        rows=[row for kind in START_KINDS if (row := _start_row(record, kind)) is not None],
    )
    return Part(
        title=on(f"{record.files:,} files", record.storage_class),
        blocks=[
            list(_sentences(record)),
            rates,
            *([starts] if starts.rows else []),
            rates_by_files(record),
            starts_by_files(record, limits=tuple(_levels(record, results))),
        ],
    )


def _rate_row(rate: FileRate, baseline_rate: FileRate | None, record: ManyFilesRecord) -> tuple[str, ...]:
    """Return files a second with their interval, the baseline's files a second, and the ratio of the two."""
    return (
        FILE_OUTCOMES[rate.operation],
        f"{rate.files:,}",
        _per_s(rate.seconds_each),
        "" if rate.low is None or rate.high is None else f"{_per_s(rate.high)} to {_per_s(rate.low)}",
        "" if baseline_rate is None else _per_s(baseline_rate.seconds_each),
        "" if baseline_rate is None else _ratio(rate, baseline_rate, record),
    )


def _ratio(rate: FileRate, baseline_rate: FileRate, record: ManyFilesRecord) -> str:
    """Return the ratio to the baseline's rate; the two were measured one after the other."""
    own_times, baseline_times = (
        [s / n for s, n in zip(measurement.seconds, measurement.counts, strict=True)]
        for measurement in (rate, baseline_rate)
    )
    ratio = independent_ratio(baseline_times, own_times, confidence=record.confidence)
    if ratio is None:
        return ""
    return f"{ratio.mean:.3g}x ({ratio.low:.3g}x to {ratio.high:.3g}x)"


def _per_s(seconds_each: float) -> str:
    return f"{1 / seconds_each:,.0f}" if seconds_each > 0.0 else "unknown"


def _start_row(record: ManyFilesRecord, kind: StartKind) -> tuple[str, ...] | None:
    """Return the start times of pods on the empty volume, and on the full one."""
    starts = [start for start in record.starts if start.kind == kind]
    empty, full = ([start for start in starts if bool(start.files) == full] for full in (False, True))
    return (STARTS[kind], _times(empty), _times(full)) if starts else None


def _times(starts: list[StartRecord]) -> str:
    return ", ".join(
        "not in time" if start.seconds is None else format_quantity(start.seconds, unit="s") for start in starts
    )


def _levels(record: ManyFilesRecord, results: Results) -> Iterator[Level]:
    """Yield the limits on starts that were judged."""
    about = (record.storage_class, MANY_FILES.profile)
    verdicts = [verdict for verdict in results.verdicts if (verdict.storage_class, verdict.profile) == about]
    limits = {verdict.metric: verdict.limit for verdict in verdicts}
    for metric, bounds in bounds_of(verdicts).items():
        if metric in ("start", "other_group"):
            yield Level(value=bounds[0].value, words=limits[metric])


def _sentences(record: ManyFilesRecord) -> Iterator[str]:
    yield (
        f"One pod on {record.node} created {record.files:,} empty files in folders. Creation and deletion are timed "
        "until they are durable, folder by folder. The next pod listed the files and looked them up."
    )
    if record.files < record.asked:
        yield f"{record.asked:,} files were requested; the time limit ended before all of them were created."
    if record.no_group:
        yield f"No start with another fsGroup was timed: {record.no_group}."
    for start in record.starts:
        if start.seconds is None:
            yield f"A pod ({STARTS[start.kind]}) did not start with {start.files:,} files: {start.why}"


def _rates(record: ManyFilesRecord) -> LabeledValues:
    for rate in record.rates:
        mean, low, high = (1 / seconds if seconds else None for seconds in (rate.seconds_each, rate.high, rate.low))
        yield Figure(mean, low, high), {"operation": rate.operation}


def _starts(record: ManyFilesRecord) -> LabeledValues:
    slowest: dict[tuple[str, int], float] = {}
    for start in record.starts:
        if start.seconds is not None:
            key = start.kind, start.files
            slowest[key] = max(slowest.get(key, 0.0), start.seconds)
    for (kind, files), seconds in slowest.items():
        yield seconds, {"group": kind, "files": str(files)}


declare_gauges(
    "many_files",
    Gauge(
        name="many_files_operations_per_second",
        help="files that one pod creates, lists, looks up or deletes a second on a volume with many files",
        labels=("operation", "bound"),
        samples=_rates,
    ),
    Gauge(
        name="many_files_start_seconds",
        help="slowest start of a pod on a volume with that number of files, by its fsGroup",
        labels=("group", "files"),
        samples=_starts,
    ),
)
