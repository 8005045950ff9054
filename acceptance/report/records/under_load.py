"""Latency at shares of a volume's capacity, for the report: a table, a curve, and the share at which it rises."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.judging.under_load import decide_rate
from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, numbers, on, words
from acceptance.report.pictures import latency_by_share
from acceptance.results.bounds import bounds_of
from acceptance.results.document import Results
from acceptance.results.under_load import ShareRecord, Span, UnderLoadRecord
from acceptance.text.quantities import format_quantity, format_size

STATISTICS = ("p50", "p99", "p99.9")
KNEE = 2.0
"""The curve has bent if the p99 is certainly this many times that of the lowest share."""
_RATE_REMARKS = {"pass": "", "fail": ", not kept", "inconclusive": ", perhaps not kept"}


SHARES = (*words("Share of the capacity"), *numbers("Requested", "Reached", *STATISTICS))


@in_chapter("under-load")
def under_load_parts(results: Results) -> Iterator[Part]:
    """Yield a part for each profile and class, in the order in which they ran."""
    for record in results.under_load:
        yield Part(
            title=on(record.profile, record.storage_class),
            blocks=[
                Table(label="Latency under load", columns=SHARES, rows=list(_rows(record))),
                latency_by_share(record, limits=_limits(record, results)),
                list(_sentences(record)),
            ],
        )


def _limits(record: UnderLoadRecord, results: Results) -> dict[str, float]:
    """Return the limits by metric."""
    about = (record.storage_class, record.profile, "at_most_under_load")
    bounds_by_metric = bounds_of(
        verdict for verdict in results.verdicts if (verdict.storage_class, verdict.profile, verdict.rule) == about
    )
    return {metric: bounds[0].value for metric, bounds in bounds_by_metric.items()}


def _rows(record: UnderLoadRecord) -> Iterator[tuple[str, ...]]:
    direction = record.metric.partition(".")[0]
    yield from (share_row(share, direction=direction) for share in record.shares)
    if record.capacity is not None:
        latencies = (_mean(record.at_capacity.get(f"{direction}.latency.{statistic}")) for statistic in STATISTICS)
        yield "without a limit", "", format_quantity(record.capacity.mean, unit="1/s"), *latencies


def share_row(at: ShareRecord, *, direction: str, remark: str = "") -> tuple[str, ...]:
    """Return the row of a load at a share of the capacity. `remark`: the conditions, such as neighbors."""
    return (
        f"{at.share * 100:.4g} %{', ' if remark else ''}{remark}",
        format_quantity(at.asked, unit="1/s"),
        f"{at.reached.mean * 100:.3g} %{_RATE_REMARKS[decide_rate(at)]}",
        *(_mean(at.latencies.get(f"{direction}.latency.{statistic}")) for statistic in STATISTICS),
    )


def _mean(span: Span | None) -> str:
    return "" if span is None else format_quantity(span.mean, unit="s")


def _sentences(record: UnderLoadRecord) -> Iterator[str]:
    size, sure = format_size(record.test_size), format_quantity(record.sure, unit="1/s")
    if record.capacity is None:
        yield f"A minute of full load on a test file of {size} completed no operation, so the capacity is not known."
    else:
        mean = format_quantity(record.capacity.mean, unit="1/s")
        yield (
            f"Capacity on a test file of {size}, in a minute at the profile's own depth: {mean}. Shares refer to "
            f"{sure}, the lower end of the {record.confidence * 100:.4g}% CI."
        )
    yield from _knee(record)
    for warning in record.warnings:
        yield warning[0].upper() + warning[1:] + "."
    for at in record.shares:
        for warning in at.warnings:
            yield f"At {at.share * 100:.4g} %: {warning}."


def _knee(record: UnderLoadRecord) -> Iterator[str]:
    """Yield the shares between which the curve bends."""
    path = f"{record.metric.partition('.')[0]}.latency.p99"
    points = [(at, span) for at in record.shares if (span := at.latencies.get(path)) is not None and span.mean > 0.0]
    if len(points) < 2:
        return
    (first, lowest), *further = points
    before: ShareRecord = first
    for at, span in further:
        if span.low is not None and lowest.high is not None and span.low >= KNEE * lowest.high:
            yield (
                f"The knee: between {before.share * 100:.4g} % and {at.share * 100:.4g} % of the capacity the p99 "
                f"rises to {span.mean / lowest.mean:.3g} times that at {first.share * 100:.4g} %."
            )
            return
        before = at
    yield (
        f"No knee up to {before.share * 100:.4g} % of the capacity: the p99 is never certainly {KNEE:g} times that at "
        f"{first.share * 100:.4g} %."
    )


def _full_load(record: UnderLoadRecord) -> LabeledValues:
    if record.capacity is not None:
        yield record.capacity, {"profile": record.profile}


def _at_shares(record: UnderLoadRecord) -> LabeledValues:
    for at in record.shares:
        for path, figure in at.latencies.items():
            yield figure, {"profile": record.profile, "share": f"{at.share:g}", "metric": path}


declare_gauges(
    "under_load",
    Gauge(
        name="capacity_iops",
        help="IOPS of one volume at the depth of the profile",
        labels=("profile", "bound"),
        samples=_full_load,
    ),
    Gauge(
        name="latency_under_load_seconds",
        help="latency at a share of the capacity of the volume",
        labels=("profile", "share", "metric", "bound"),
        samples=_at_shares,
    ),
)
