"""The steps of a volume's life, for the report: one row a class and step."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from acceptance.report.chapters import in_chapter
from acceptance.report.parts import Part, Table, name, numbers, words
from acceptance.results.document import Results


@in_chapter("provisioning")
def step_parts(results: Results) -> Iterator[Part]:
    """How often each was taken, the median and the longest time."""
    taken: dict[tuple[str, str], list[float]] = {}
    for each in results.steps:
        taken.setdefault((each.storage_class, each.step), []).append(each.seconds)
    if taken:
        table = Table(
            label="Provisioning steps",
            columns=(*words("StorageClass", "Step"), *numbers("Times taken", "Median", "Longest")),
            rows=[
                (name(storage_class), step, f"{len(times)}", f"{median(times):.2f} s", f"{max(times):.2f} s")
                for (storage_class, step), times in taken.items()
            ],
        )
        yield Part(blocks=[table])
