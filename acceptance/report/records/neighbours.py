"""A volume alone and next to neighbors at full load, for the report: a row for each load."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, on
from acceptance.report.records.under_load import SHARES, share_row
from acceptance.results.document import Results
from acceptance.results.neighbours import NeighboursRecord
from acceptance.text.quantities import format_quantity


@in_chapter("under-load", place=1)
def neighbour_parts(results: Results) -> Iterator[Part]:
    """Yield a part for each profile and class, in the order in which they ran."""
    for record in results.neighbours:
        rows = [
            share_row(at, direction=record.metric.partition(".")[0], remark=remark)
            for share in record.shares
            for at, remark in ((share.alone, "alone"), (share.beside, "with neighbors"))
        ]
        yield Part(
            title=on(
                f"{record.profile}, alone and next to {_volumes(record.count)} at full load,", record.storage_class
            ),
            blocks=[Table(label="Latency under load", columns=SHARES, rows=rows), list(_sentences(record))],
        )


def _volumes(count: int) -> str:
    return "1 volume" if count == 1 else f"{count} volumes"


def _sentences(record: NeighboursRecord) -> Iterator[str]:
    if record.capacity is None:
        yield "The volume did no operation at full load, so its capacity is not known."
    else:
        mean = format_quantity(record.capacity.mean, unit="1/s")
        yield f"Alone, the volume did {mean} at full load. Shares refer to this capacity."
        yield f"The volume and its neighbors were loaded from node {record.node}."
    for share in record.shares:
        rates = ", ".join(format_quantity(neighbour, unit="1/s") for neighbour in share.neighbours)
        yield f"While the volume was loaded at {share.beside.share * 100:.4g} %, the neighbors did {rates}."
        for warning in share.beside.warnings:
            yield warning[0].upper() + warning[1:] + "."
    for warning in record.warnings:
        yield warning[0].upper() + warning[1:] + "."


def _beside(record: NeighboursRecord) -> LabeledValues:
    for pair in record.shares:
        for when, at in (("alone", pair.alone), ("beside", pair.beside)):
            for path, figure in at.latencies.items():
                yield figure, {"profile": record.profile, "share": f"{at.share:g}", "metric": path, "when": when}


declare_gauges(
    "neighbours",
    Gauge(
        name="latency_beside_neighbours_seconds",
        help="latency at a share of the capacity of the volume, alone and next to volumes at full load",
        labels=("profile", "share", "metric", "when", "bound"),
        samples=_beside,
    ),
)
