"""Control operations for the report: their durations, failures, and progress over time. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Figure, Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, above, numbers, on, words
from acceptance.report.pictures import operations_over_time
from acceptance.results.document import Results
from acceptance.results.operations import TITLES, OperationRecord, OperationsRecord, PercentileTime
from acceptance.text.quantities import format_quantity
from acceptance.wording.operations import by_reason

PERCENTILES = ("p50", "p95", "p99")


@in_chapter("control-plane", place=1)
def operation_parts(results: Results) -> Iterator[Part]:
    """Return a part for each class, in the order in which they were tested."""
    return map(_part, results.operations)


def _part(record: OperationsRecord) -> Part:
    times: list[str | Table] = []
    if record.operations:
        times = [
            f"Below each percentile is its {100 * record.operations[0].confidence:.4g}% CI, from the sorted times. "
            "Unknown: too few operations, or too many failures.",
            Table(
                label="Control operations",
                columns=(*words("Until"), *numbers("Requested", *PERCENTILES, "Per second"), *words("Failed")),
                rows=[_row(operation) for operation in record.operations],
                narrow=True,
            ),
        ]
    return Part(
        title=on("Concurrent control operations", record.storage_class),
        blocks=[
            list(_sentences(record)),
            *(operations_over_time(record, part=part) for part in ("coming", "going")),
            *times,
        ],
    )


def _row(record: OperationRecord) -> tuple[str, ...]:
    return (
        TITLES[record.operation],
        str(record.asked),
        *(above(*_time_and_interval(record.percentiles.get(percentile))) for percentile in PERCENTILES),
        "" if record.per_s is None else f"{record.per_s:.3g}",
        by_reason(record.failed) or "none",
    )


def _time_and_interval(percentile_time: PercentileTime | None) -> tuple[str, str]:
    """Return the time, and its interval."""
    if percentile_time is None:
        return "", ""
    return _time(percentile_time.seconds), f"{_time(percentile_time.low)} to {_time(percentile_time.high)}"


def _time(seconds: float | None) -> str:
    return "unknown" if seconds is None else format_quantity(seconds, unit="s")


def _sentences(record: OperationsRecord) -> Iterator[str]:
    rounds = "one round" if record.rounds == 1 else f"{record.rounds} rounds"
    timeout = format_quantity(record.timeout_s, unit="s")
    yield (
        f"{record.at_once} of each operation at the same time, in {rounds}; binding mode {record.binding_mode}. An "
        f"operation that took longer than {timeout} failed."
    )
    for operation, why in record.missing.items():
        yield f"Not timed: {TITLES[operation]}: {why}."
    if late := sum(operation.late for operation in record.operations):
        yield f"{late} operations were observed late because the connection was broken; their times do not count."
    for failure in [item for item in record.objects if item.failed][:SHOWN_FAILURES]:
        for operation, why in failure.failed.items():
            yield f"{failure.name}: not {TITLES[operation]}: {why}"
    requests = ", ".join(f"{kind}: {count}" for kind, count in record.requests.items())
    yield f"The suite's own requests to the API server: {requests}."


SHOWN_FAILURES = 5
"""Objects whose failure is quoted in the cluster's own words."""


def _counts(record: OperationsRecord) -> LabeledValues:
    for operation in record.operations:
        yield operation.asked, {"operation": operation.operation, "state": "asked"}
        yield sum(operation.failed.values()), {"operation": operation.operation, "state": "failed"}


def _rates(record: OperationsRecord) -> LabeledValues:
    for operation in record.operations:
        yield operation.per_s, {"operation": operation.operation}


def _times(record: OperationsRecord) -> LabeledValues:
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
        help="control operations completed a second, many at the same time",
        labels=("operation",),
        samples=_rates,
    ),
    Gauge(
        name="control_operation_seconds",
        help="duration of a control operation, many at the same time, by percentile",
        labels=("operation", "statistic", "bound"),
        samples=_times,
    ),
)
