"""The output of the program that a pod runs on many files, and its evaluation. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acceptance.results.many_files import FILE_OPERATIONS, FileOperation, FileRate
from acceptance.statistics.intervals import MINIMUM_BATCHES, Part, weighted_interval
from acceptance.text.errors import StorageFailure
from acceptance.trials.lua_program import OutputWords

FOLDERS = 100
"""Folders that hold the files: each is a batch of all intervals, so that even few files have an interval."""
NO_ROOM = ("No space left on device", "Disk quota exceeded")


class NoRoom(Exception):
    """The volume takes no more files."""


def rates_of(lines: OutputWords, *, confidence: float) -> Iterator[FileRate]:
    """Yield the rate of each operation that the program did, folder by folder."""
    for operation in FILE_OPERATIONS:
        batches = [(int(words[1]), float(words[2])) for words in lines if words[0] == operation]
        if batches:
            yield _rate(operation, batches, confidence=confidence)


def require_over(lines: OutputWords, *, storage_class: str, output: str) -> None:
    """Raise StorageFailure if the program did not reach its end, NoRoom if it lacked space."""
    about = f"on a volume of many files of StorageClass {storage_class}"
    for words in lines:
        if words[0] == "failed":
            problem = " ".join(words[1:])
            if words[1] == "create:" and any(message in problem for message in NO_ROOM):
                raise NoRoom(problem.removeprefix("create: "))
            raise StorageFailure(f"{about} a pod could not {problem}")
        if words[0] == "lists":
            raise StorageFailure(
                f"{about} a folder of {words[1]} files lists {words[2]} of them and {words[3]} unknown or duplicate "
                "names"
            )
    if not lines or lines[-1] != ["over"]:
        raise StorageFailure(f"{about} a pod ended too early: {output.strip()[-300:]}")


def _rate(operation: FileOperation, batches: Sequence[tuple[int, float]], *, confidence: float) -> FileRate:
    counts, seconds = [count for count, _ in batches], [batch_s for _, batch_s in batches]
    low = high = None
    mean = sum(seconds) / sum(counts)
    if len(batches) >= MINIMUM_BATCHES:
        interval = weighted_interval([Part(batch_s, float(count)) for count, batch_s in batches], confidence=confidence)
        low, high = interval.low, interval.high
    return FileRate(operation=operation, counts=counts, seconds=seconds, seconds_each=mean, low=low, high=high)
