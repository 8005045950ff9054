"""A volume alone and beside neighbours at full load, for the report: a row of each load."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.under_load import UnderLoadSection, share_row
from acceptance.results.document import Results
from acceptance.results.neighbours import NeighboursRecord
from acceptance.text.quantities import format_quantity


def neighbour_sections(results: Results) -> list[UnderLoadSection]:
    """One of each profile and class, in the order in which they ran."""
    return [
        UnderLoadSection(
            profile=f"{each.profile}, alone and beside {_volumes(each.count)} at full load,",
            storage_class=each.storage_class,
            rows=[
                share_row(at, direction=each.metric.partition(".")[0], remark=remark)
                for one in each.shares
                for at, remark in ((one.alone, "alone"), (one.beside, "beside neighbours"))
            ],
            picture=None,
            sentences=list(_sentences(each)),
        )
        for each in results.neighbours
    ]


def _volumes(count: int) -> str:
    return "1 volume" if count == 1 else f"{count} volumes"


def _sentences(record: NeighboursRecord) -> Iterator[str]:
    if record.capacity is None:
        yield "Nothing was done at full load: there is no capacity."
    else:
        mean = format_quantity(record.capacity.mean, unit="1/s")
        yield f"Alone the volume did {mean} at full load; shares are of that."
        yield f"It and its neighbours were loaded from node {record.node}."
    for one in record.shares:
        rates = ", ".join(format_quantity(each, unit="1/s") for each in one.neighbours)
        yield f"Beside {one.beside.share * 100:.4g} % of that the neighbours did {rates}."
        for told in one.beside.warnings:
            yield told[0].upper() + told[1:] + "."
    for told in record.warnings:
        yield told[0].upper() + told[1:] + "."
