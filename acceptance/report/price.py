"""What the storage's pods took, for the report: a row for each period, the pods that took most, and two pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acceptance.report.picture import Picture
from acceptance.report.pictures import cpu_over_time, memory_over_time
from acceptance.results.document import Results
from acceptance.results.price import PricedPod, PriceRecord, Span
from acceptance.text.quantities import Unit, format_quantity

MOST_PODS = 12
"""of many pods those that take most memory under load"""
NAMES = {"rest": "at rest, before", "load": "under load", "after": "after"}


@dataclass(frozen=True, kw_only=True)
class PeriodRow:
    """All pods together, as they are shown."""

    name: str
    cpu: str
    memory: str
    peak: str


@dataclass(frozen=True, kw_only=True)
class PodRow:
    """One pod, as it is shown."""

    pod: str
    cpu: str
    before: str
    during: str
    after: str
    growth: str


@dataclass(frozen=True, kw_only=True)
class PriceSection:
    """One load."""

    profile: str
    storage_class: str
    periods: list[PeriodRow]
    pods: list[PodRow]
    pictures: list[Picture | None]
    sentences: list[str]


def price_sections(results: Results) -> list[PriceSection]:
    """One of each load, in the order in which they ran."""
    return [
        PriceSection(
            profile=each.profile,
            storage_class=each.storage_class,
            periods=list(_periods(each)),
            pods=list(_pods(each)),
            pictures=[cpu_over_time(each), memory_over_time(each)],
            sentences=list(_sentences(each)),
        )
        for each in results.prices
    ]


def _periods(record: PriceRecord) -> Iterator[PeriodRow]:
    for each in record.periods:
        yield PeriodRow(
            name=NAMES[each.name],
            cpu=_span(each.cpu),
            memory=_value(each.memory, unit="B"),
            peak=_value(each.peak, unit="B"),
        )


def _pods(record: PriceRecord) -> Iterator[PodRow]:
    most = sorted(record.pods, key=lambda each: -max(each.memory.values(), default=0.0))[:MOST_PODS]
    for each in most:
        before, during, after = (_value(each.memory.get(name), unit="B") for name in NAMES)
        yield PodRow(
            pod=f"{each.namespace}/{each.pod}",
            cpu=_value(each.cpu, unit="cpu"),
            before=before,
            during=during,
            after=after,
            growth=_growth(each),
        )


def _growth(pod: PricedPod) -> str:
    if (found := pod.growth) is None:
        return ""
    return f"{_signed(found.mean)} ({_signed(found.low)} to {_signed(found.high)})"


def _signed(value: float) -> str:
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
    yield f"{minutes} of load at {iops}. Pods of {' and '.join(record.of)} that were watched: {len(record.pods)}."
    if record.cpu_per_1000_iops is not None:
        yield f"CPU per 1,000 IOPS under load: {_span(record.cpu_per_1000_iops)}."
    for pod in record.pods:
        for told in pod.restarts:
            yield f"Pod {pod.namespace}/{pod.pod} {told}."
    if len(record.pods) > MOST_PODS:
        yield f"Of {len(record.pods)} pods the {MOST_PODS} with most memory are shown."
    yield (
        f"The watch itself: {record.requests} requests, which took {format_quantity(record.asked_s, unit='s')}. "
        f"All intervals: {record.confidence * 100:.4g}% CI. These figures leave out what runs on nodes outside of pods."
    )
    for told in record.missed:
        yield f"Figures are missing: {told}."
