"""Records of volumes with very many files: the models behind `many_files` in `results.json`. All frozen; times in s.

They import no model of the results that holds them.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from acceptance.results.model import Frozen

FileOperation = Literal["create", "list", "stat", "delete"]
FILE_OPERATIONS: tuple[FileOperation, ...] = get_args(FileOperation)
FILE_OUTCOMES: dict[FileOperation, str] = {
    "create": "created",
    "list": "listed (readdir)",
    "stat": "looked up (stat)",
    "delete": "deleted (unlink)",
}
"""The state of a file after each operation, in words."""
StartKind = Literal["same-group", "other-group", "other-group-always"]
START_KINDS: tuple[StartKind, ...] = get_args(StartKind)
STARTS: dict[StartKind, str] = {
    "same-group": "the volume's own group, OnRootMismatch",
    "other-group": "another group, OnRootMismatch",
    "other-group-always": "another group, Always",
}
"""The fsGroup and the fsGroupChangePolicy of a starting pod."""


class FileRate(Frozen):
    """One operation on all files, folder by folder. `seconds_each`: the mean time of one file."""

    operation: FileOperation
    counts: list[int] = Field(description="files in each folder, in the order of processing")
    seconds: list[float] = Field(description="how long each folder took; for create and delete until it was durable")
    seconds_each: float
    low: float | None = Field(
        description="lower end of the interval of seconds_each; null: too few folders were processed"
    )
    high: float | None

    @property
    def files(self) -> int:
        """The number of files on which the operation was done."""
        return sum(self.counts)


class StartRecord(Frozen):
    """The start of one pod, from the request until the suite observed that it had started."""

    kind: StartKind
    files: int = Field(description="number of files on its volume; 0: the empty volume for comparison")
    node: str
    seconds: float | None = Field(description="null: it did not start in time")
    why: str = Field(default="", description="why it did not start; empty if it did")


class ManyFilesRecord(Frozen):
    """A volume with many files, and an empty volume of its class for comparison."""

    storage_class: str
    role: Literal["candidate", "baseline"]
    node: str
    asked: int = Field(description="number of requested files")
    files: int = Field(description="number of files that were created before the time for it ended")
    rates: list[FileRate]
    starts: list[StartRecord] = Field(description="empty for a baseline")
    no_group: str = Field(default="", description="why no start with another group was timed; empty if some were")
    timeout_s: float = Field(description="a pod that takes longer has not started")
    confidence: float = Field(description="confidence of the two-sided intervals")
