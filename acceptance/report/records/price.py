"""The resource overhead of the storage's pods, for the report.

A row for each period, the pods with the highest use, and two pictures.
"""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, name, numbers, on, words
from acceptance.report.pictures import cpu_over_time, memory_over_time
from acceptance.results.document import Results
from acceptance.results.price import PricedPod, PriceRecord, Span
from acceptance.text.quantities import Unit, format_quantity

MOST_PODS = 12
"""Maximum number of pods shown: those that use most memory under load."""
NAMES = {"rest": "idle, before", "load": "under load", "after": "after"}


_PERIODS = (*words("All pods of the storage"), *numbers("CPU", "Memory, mean", "Memory, peak"))
_PODS = (*words("Pod"), *numbers("CPU under load", "Memory before", "under load", "after", "Growth an hour"))


@in_chapter("price")
def price_parts(results: Results) -> Iterator[Part]:
    """Yield a part for each load, in the order in which they ran."""
    for price in results.prices:
        yield Part(
            title=on(price.profile, price.storage_class),
            blocks=[
                Table(label="Resource overhead of the storage", columns=_PERIODS, rows=list(_periods(price))),
                cpu_over_time(price),
                memory_over_time(price),
                Table(label="Pods of the storage", columns=_PODS, rows=list(_pods(price))),
                list(_sentences(price)),
            ],
        )


def _periods(record: PriceRecord) -> Iterator[tuple[str, ...]]:
    for period in record.periods:
        sizes = (_value(size, unit="B") for size in (period.memory, period.peak))
        yield NAMES[period.name], _span(period.cpu), *sizes


def _pods(record: PriceRecord) -> Iterator[tuple[str, ...]]:
    most = sorted(record.pods, key=lambda pod: -max(pod.memory.values(), default=0.0))[:MOST_PODS]
    for pod in most:
        sizes = (_value(pod.memory.get(period), unit="B") for period in NAMES)
        yield name(f"{pod.namespace}/{pod.pod}"), _value(pod.cpu, unit="cpu"), *sizes, _growth(pod)


def _growth(pod: PricedPod) -> str:
    if (growth := pod.growth) is None:
        return ""
    return f"{_signed_size(growth.mean)} ({_signed_size(growth.low)} to {_signed_size(growth.high)})"


def _signed_size(value: float) -> str:
    return f"{'-' if value < 0 else ''}{format_quantity(abs(value), unit='B')}"


def _value(value: float | None, *, unit: Unit) -> str:
    return "" if value is None else format_quantity(max(0.0, value), unit=unit)


def _span(span: Span | None) -> str:
    if span is None:
        return ""
    if span.low is None or span.high is None:
        return _value(span.mean, unit="cpu")
    return f"{_value(span.mean, unit='cpu')} ({_value(span.low, unit='cpu')} to {_value(span.high, unit='cpu')})"


def _sentences(record: PriceRecord) -> Iterator[str]:
    minutes, iops = f"{record.load_s / 60:.3g} min", format_quantity(record.iops, unit="1/s")
    yield f"{minutes} of load at {iops}. Measured pods of {' and '.join(record.of)}: {len(record.pods)}."
    if record.cpu_per_1000_iops is not None:
        yield f"CPU per 1,000 IOPS under load: {_span(record.cpu_per_1000_iops)}."
    for pod in record.pods:
        for restart in pod.restarts:
            yield f"Pod {pod.namespace}/{pod.pod} {restart}."
    if len(record.pods) > MOST_PODS:
        yield f"Of {len(record.pods)} pods the {MOST_PODS} with most memory are shown."
    yield (
        f"The measurement itself took {record.requests} requests and {format_quantity(record.asked_s, unit='s')}. All "
        f"intervals are {record.confidence * 100:.4g}% CIs. The figures exclude processes of nodes outside of pods."
    )
    for gap in record.missed:
        yield f"Figures are missing: {gap}."


def _cpu_per_iops(record: PriceRecord) -> LabeledValues:
    if record.cpu_per_1000_iops is not None:
        yield record.cpu_per_1000_iops, {"profile": record.profile}


def _cpu(record: PriceRecord) -> LabeledValues:
    for period in record.periods:
        if period.cpu is not None:
            yield period.cpu, {"profile": record.profile, "when": period.name}


def _memory(record: PriceRecord) -> LabeledValues:
    for period in record.periods:
        for statistic, size in (("mean", period.memory), ("peak", period.peak)):
            yield size, {"profile": record.profile, "when": period.name, "statistic": statistic}


declare_gauges(
    "prices",
    Gauge(
        name="price_cpus_per_1000_iops",
        help="CPU of the pods of the storage for each 1000 IOPS",
        labels=("profile", "bound"),
        samples=_cpu_per_iops,
    ),
    Gauge(
        name="price_cpus",
        help="CPU of the pods of the storage before, during and after the load",
        labels=("profile", "when", "bound"),
        samples=_cpu,
    ),
    Gauge(
        name="price_memory_bytes",
        help="memory of the pods of the storage before, during and after the load",
        labels=("profile", "when", "statistic"),
        samples=_memory,
    ),
)
