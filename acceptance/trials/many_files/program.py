"""What the program says that a pod runs on many files, and what is made of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acceptance.results.many_files import FILE_OPERATIONS, FileOperation, FileRate
from acceptance.statistics.intervals import MINIMUM_BATCHES, Part, weighted_interval
from acceptance.text.errors import StorageFailure
from acceptance.trials.lua_program import Said

FOLDERS = 100
"""that the files lie in: each is one batch of all intervals, so that even few files have one"""
NO_ROOM = ("No space left on device", "Disk quota exceeded")


class NoRoom(Exception):
    """The volume takes no more files."""


def rates_of(said: Said, *, confidence: float) -> Iterator[FileRate]:
    """The operations that the program did, folder by folder."""
    for operation in FILE_OPERATIONS:
        done = [(int(words[1]), float(words[2])) for words in said if words[0] == operation]
        if done:
            yield _rate(operation, done, confidence=confidence)


def require_over(said: Said, *, storage_class: str, printed: str) -> None:
    """Raises StorageFailure where it did not come to its end, NoRoom where that is for want of space."""
    about = f"on a volume of many files of StorageClass {storage_class}"
    for words in said:
        if words[0] == "failed":
            what = " ".join(words[1:])
            if words[1] == "create:" and any(each in what for each in NO_ROOM):
                raise NoRoom(what.removeprefix("create: "))
            raise StorageFailure(f"{about} a pod could not {what}")
        if words[0] == "lists":
            raise StorageFailure(
                f"{about} a folder of {words[1]} files lists {words[2]} of them, and {words[3]} names that are unknown "
                "or there twice"
            )
    if not said or said[-1] != ["over"]:
        raise StorageFailure(f"{about} a pod ended too early: {printed.strip()[-300:]}")


def _rate(operation: FileOperation, done: Sequence[tuple[int, float]], *, confidence: float) -> FileRate:
    counts, seconds = [count for count, _ in done], [each for _, each in done]
    low = high = None
    mean = sum(seconds) / sum(counts)
    if len(done) >= MINIMUM_BATCHES:
        found = weighted_interval([Part(each, float(count)) for count, each in done], confidence=confidence)
        low, high = found.low, found.high
    return FileRate(operation=operation, counts=counts, seconds=seconds, seconds_each=mean, low=low, high=high)
