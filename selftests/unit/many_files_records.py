"""Records of volumes of very many files as they would be, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.judging.many_files import CONFIDENCE
from acceptance.limits.declared import StartAspect
from acceptance.limits.limit import Limit
from acceptance.results.many_files import FileOperation, FileRate, ManyFilesRecord, StartKind, StartRecord
from acceptance.trials.many_files.program import rates_of
from selftests.unit.made_limits import of_files

FILES = 100_000


def limit(aspect: FileOperation | StartAspect, at_most: float, *, files: int = FILES) -> Limit:
    return of_files(aspect, at_most, files=files, because="somebody waits for it.")


def rate(
    operation: FileOperation = "create", *, seconds: Sequence[float] = (1.0, 1.1) * 50, files: int = FILES
) -> FileRate:
    """Folders of as many files each, which took so long."""
    said = [[operation, str(files // len(seconds)), f"{duration}"] for duration in seconds]
    (found,) = rates_of(said, confidence=CONFIDENCE)
    return found


def started(
    kind: StartKind = "same-group",
    *,
    empty: Sequence[float] = (1.4, 1.6, 1.5),
    full: Sequence[float | None] = (1.5, 1.6, 1.4),
    files: int = FILES,
) -> list[StartRecord]:
    """Starts on the empty volume and on the full one; None: not in time."""
    return [
        *(StartRecord(kind=kind, files=0, node="n1", seconds=each) for each in empty),
        *(
            StartRecord(kind=kind, files=files, node="n1", seconds=each, why="" if each else "it waits <b>")
            for each in full
        ),
    ]


def record(*rates: FileRate, starts: Sequence[StartRecord] = (), **change: Any) -> ManyFilesRecord:
    whole = ManyFilesRecord(
        storage_class="fast",
        role="candidate",
        node="n1",
        asked=FILES,
        files=FILES,
        rates=list(rates),
        starts=list(starts),
        timeout_s=300.0,
        confidence=CONFIDENCE,
    )
    return whole.model_copy(update=change)
