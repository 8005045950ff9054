"""The steps of a volume's life, for the report: a row for each class and step."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from acceptance.report.chapters import in_chapter
from acceptance.report.parts import Part, Table, name, numbers, words
from acceptance.results.document import Results


@in_chapter("provisioning")
def step_parts(results: Results) -> Iterator[Part]:
    """Yield a table with the count of each step, and its median and longest time."""
    times_by_step: dict[tuple[str, str], list[float]] = {}
    for record in results.steps:
        times_by_step.setdefault((record.storage_class, record.step), []).append(record.seconds)
    if times_by_step:
        table = Table(
            label="Provisioning steps",
            columns=(*words("StorageClass", "Step"), *numbers("Count", "Median", "Longest")),
            rows=[
                (name(storage_class), step, f"{len(times)}", f"{median(times):.2f} s", f"{max(times):.2f} s")
                for (storage_class, step), times in times_by_step.items()
            ],
        )
        yield Part(blocks=[table])
