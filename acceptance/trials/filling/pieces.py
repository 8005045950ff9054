"""The output of the pods that fill a volume and read it again, and what is wrong with it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from acceptance.text.quantities import format_quantity

Stop = Literal["full", "shows-more", "used", "bound", "late", "small", "broken", ""]
_SHOWS = re.compile(r"^storage-acceptance: shows (\d+) (\d+)$", re.MULTILINE)
_WROTE = re.compile(r"^storage-acceptance: wrote (\S+) ([0-9a-f]{64})$", re.MULTILINE)
_STOP = re.compile(r"^storage-acceptance: stopped (\S+) ?(.*)$", re.MULTILINE)
_HOLDS = re.compile(r"^storage-acceptance: (?:holds (\S+) ([0-9a-f]{64})|unreadable (\S+) (.*))$", re.MULTILINE)
_LAST_LINE = "storage-acceptance: verified"
# The C library's messages for ENOSPC and EDQUOT, in a pod whose LC_ALL is C: a program can act on them.
_CLEAR = ("No space left on device", "Disk quota exceeded")
USABLE = 0.9
"""The share of the free space shown by an empty volume that it must take: file systems keep some for themselves as they
fill. Proposed by this project, 2026-11."""
GIVEN_BACK = 0.5
"""The share of deleted bytes that must be taken again: some may be given back later. Proposed by this project,
2026-11."""
MOST_EXAMPLES = 3
"""The number of files that a message names one by one."""


@dataclass(frozen=True, kw_only=True)
class WriteResult:
    """The result of a pod that wrote. `capacity`, `free`: bytes of the file system before that; `sums`: the checksum of
    each durable file, by name; `stop`: why it ended, in the words of `error`."""

    capacity: int
    free: int
    sums: Mapping[str, str]
    stop: Stop
    error: str


def read_writing(output: str) -> WriteResult:
    """Return the result of a pod that wrote from its output; lines of other programs are ignored."""
    shows, stop = _SHOWS.search(output), _STOP.search(output)
    return WriteResult(
        capacity=int(shows[1]) if shows else 0,
        free=int(shows[2]) if shows else 0,
        sums=dict(_WROTE.findall(output)),
        stop=stop[1] if stop else "",  # type: ignore[arg-type]  # the script has no other words
        error=stop[2].strip() if stop else output.strip()[-300:],
    )


def read_checksums(output: str) -> dict[str, str]:
    """Return the checksum of each file, or why it could not be read, by name; an empty dict if the pod did not come to
    its end."""
    if _LAST_LINE not in output.splitlines():
        return {}
    return {name or unreadable: checksum or why for name, checksum, unreadable, why in _HOLDS.findall(output)}


def wrong_end(result: WriteResult, *, piece: int) -> str | None:
    """Return what is wrong with the end of the filling; None if the volume was full and said so. `piece`: bytes of a
    file."""
    size = piece * len(result.sums)
    about = f"a write failed after {_bytes(size)} of the {_bytes(result.free)} that the volume showed as free"
    if not any(phrase in result.error for phrase in _CLEAR):
        return (
            f"{about}, with an error that does not report a lack of space: {result.error or 'no message'}; a program "
            "cannot detect that the volume is full"
        )
    if size + piece < USABLE * result.free:
        return f"{about} ({result.error}): the storage has promised more space than it has"
    return None


def lost_in_words(expected: Mapping[str, str], actual: Mapping[str, str], *, piece: int) -> str | None:
    """Return which files are not there as they were written; None if all are."""
    if not actual and expected:
        return f"none of the {len(expected)} files of {_bytes(piece)} that were durable before exists"
    losses = [(name, actual.get(name)) for name, sum_ in expected.items() if actual.get(name) != sum_]
    if not losses:
        return None
    words = ", ".join(f"{name} {_describe_loss(checksum)}" for name, checksum in losses[:MOST_EXAMPLES])
    more = f" and {len(losses) - MOST_EXAMPLES} more" if len(losses) > MOST_EXAMPLES else ""
    return f"{len(losses)} of {len(expected)} files of {_bytes(piece)} that were durable before are lost: {words}{more}"


def _describe_loss(checksum: str | None) -> str:
    if checksum is None:
        return "no longer exists"
    return "has another checksum" if re.fullmatch("[0-9a-f]{64}", checksum) else f"cannot be read ({checksum.strip()})"


def _bytes(size: float) -> str:
    return format_quantity(size, unit="B")
