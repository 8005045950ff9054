"""Control operations for the report: how long each took, what failed, how they came. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Figure, Found, Gauge, declare_gauges
from acceptance.report.parts import Part, Table, above, numbers, on, words
from acceptance.report.pictures import operations_over_time
from acceptance.results.document import Results
from acceptance.results.operations import TITLES, OperationRecord, OperationsRecord, PercentileTime
from acceptance.text.quantities import format_quantity
from acceptance.wording.operations import by_reason

SHOWN = ("p50", "p95", "p99")


@in_chapter("control-plane", place=1)
def operation_parts(results: Results) -> Iterator[Part]:
    """One for each class, in the order in which they were asked."""
    return map(_part, results.operations)


def _part(record: OperationsRecord) -> Part:
    times: list[str | Table] = []
    if record.operations:
        times = [
            f"Below each percentile its {100 * record.operations[0].confidence:.4g} % interval, from the times in "
            "their order; unknown: too few operations, or too many failed.",
            Table(
                label="Control operations",
                columns=(*words("Until"), *numbers("Asked", *SHOWN, "A second"), *words("Failed")),
                rows=[_row(operation) for operation in record.operations],
                narrow=True,
            ),
        ]
    return Part(
        title=on("Control operations at once", record.storage_class),
        blocks=[
            list(_sentences(record)),
            *(operations_over_time(record, part=each) for each in ("coming", "going")),
            *times,
        ],
    )


def _row(record: OperationRecord) -> tuple[str, ...]:
    return (
        TITLES[record.operation],
        str(record.asked),
        *(above(*_shown(record.percentiles.get(each))) for each in SHOWN),
        "" if record.per_s is None else f"{record.per_s:.3g}",
        by_reason(record.failed) or "none",
    )


def _shown(found: PercentileTime | None) -> tuple[str, str]:
    """The time, and its interval."""
    if found is None:
        return "", ""
    return _time(found.seconds), f"{_time(found.low)} to {_time(found.high)}"


def _time(seconds: float | None) -> str:
    return "unknown" if seconds is None else format_quantity(seconds, unit="s")


def _sentences(record: OperationsRecord) -> Iterator[str]:
    rounds = "one round" if record.rounds == 1 else f"{record.rounds} rounds"
    timeout = format_quantity(record.timeout_s, unit="s")
    yield (
        f"{record.at_once} of each operation at once, in {rounds}; binding mode {record.binding_mode}. What was not "
        f"done within {timeout} failed."
    )
    for operation, why in record.missing.items():
        yield f"Not timed: {TITLES[operation]}: {why}."
    if late := sum(each.late for each in record.operations):
        yield f"{late} operations were seen late, since the connection was broken: their times do not count."
    for each in [one for one in record.objects if one.failed][:SHOWN_FAILURES]:
        for operation, why in each.failed.items():
            yield f"{each.name}: not {TITLES[operation]}: {why}"
    sent = ", ".join(f"{each}: {count}" for each, count in record.requests.items())
    yield f"The suite's own requests to the API server: {sent}."


SHOWN_FAILURES = 5
"""objects whose failure is told in the cluster's own words"""


def _counts(record: OperationsRecord) -> Found:
    for operation in record.operations:
        yield operation.asked, {"operation": operation.operation, "state": "asked"}
        yield sum(operation.failed.values()), {"operation": operation.operation, "state": "failed"}


def _rates(record: OperationsRecord) -> Found:
    for operation in record.operations:
        yield operation.per_s, {"operation": operation.operation}


def _times(record: OperationsRecord) -> Found:
    for operation in record.operations:
        for name, time in operation.percentiles.items():
            yield Figure(time.seconds, time.low, time.high), {"operation": operation.operation, "statistic": name}


declare_gauges(
    "operations",
    Gauge(
        name="control_operations",
        help="number of control operations that were requested, and of those that failed",
        labels=("operation", "state"),
        samples=_counts,
    ),
    Gauge(
        name="control_operations_per_second",
        help="control operations done a second, many at once",
        labels=("operation",),
        samples=_rates,
    ),
    Gauge(
        name="control_operation_seconds",
        help="duration of a control operation among many at once, by percentile",
        labels=("operation", "statistic", "bound"),
        samples=_times,
    ),
)
