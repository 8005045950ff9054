"""What the pods say that fill a volume and read it again, and what is wrong with it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from acceptance.text.quantities import format_quantity

Stop = Literal["full", "shows-more", "used", "bound", "late", "small", "broken", ""]
_SHOWS = re.compile(r"^storage-acceptance: shows (\d+) (\d+)$", re.MULTILINE)
_WROTE = re.compile(r"^storage-acceptance: wrote (\S+) ([0-9a-f]{64})$", re.MULTILINE)
_STOPPED = re.compile(r"^storage-acceptance: stopped (\S+) ?(.*)$", re.MULTILINE)
_HOLDS = re.compile(r"^storage-acceptance: (?:holds (\S+) ([0-9a-f]{64})|unreadable (\S+) (.*))$", re.MULTILINE)
_VERIFIED = "storage-acceptance: verified"
# How the C library words ENOSPC and EDQUOT, in a pod whose LC_ALL is C: what a program can act on.
_CLEAR = ("No space left on device", "Disk quota exceeded")
USABLE = 0.9
"""The share of what an empty volume shows as free that it must take: file systems keep some for themselves as they
fill. Proposed by this project, 2026-11."""
GIVEN_BACK = 0.5
"""The share of what was deleted that must be taken again: some may be given back later. Proposed by this project,
2026-11."""
SHOWN = 3
"""files that are told one by one"""


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a pod wrote. `shown`, `free`: bytes of the file system before that; `sums`: of each durable file, by name;
    `stop`: why it ended, in whose words `said`."""

    shown: int
    free: int
    sums: Mapping[str, str]
    stop: Stop
    said: str


def read_writing(output: str) -> Written:
    """What the pod wrote, of what it printed; lines of others are passed over."""
    shows, stopped = _SHOWS.search(output), _STOPPED.search(output)
    return Written(
        shown=int(shows[1]) if shows else 0,
        free=int(shows[2]) if shows else 0,
        sums=dict(_WROTE.findall(output)),
        stop=stopped[1] if stopped else "",  # type: ignore[arg-type]  # the script has no other words
        said=stopped[2].strip() if stopped else output.strip()[-300:],
    )


def read_verified(output: str) -> dict[str, str]:
    """The checksum of each file, or why it could not be read, by name; empty where the pod did not come to its end."""
    if _VERIFIED not in output.splitlines():
        return {}
    return {name or unreadable: found or why for name, found, unreadable, why in _HOLDS.findall(output)}


def wrong_end(written: Written, *, piece: int) -> str | None:
    """What is wrong with how the filling ended; None where it was full and said so. `piece`: bytes of a file."""
    taken = piece * len(written.sums)
    about = f"after {_bytes(taken)} of the {_bytes(written.free)} that it showed as free a write failed"
    if not any(each in written.said for each in _CLEAR):
        return (
            f"{about}, not for want of space but with: {written.said or 'no message'}; a program cannot tell that the "
            "volume is full"
        )
    if taken + piece < USABLE * written.free:
        return f"{about} ({written.said}): the storage below has promised more than it has"
    return None


def lost_in_words(wanted: Mapping[str, str], found: Mapping[str, str], *, piece: int) -> str | None:
    """What is not there as it was written; None where all is."""
    if not found and wanted:
        return f"none of the {len(wanted)} files of {_bytes(piece)} that were durable before is there"
    lost = [(name, found.get(name)) for name, sum_ in wanted.items() if found.get(name) != sum_]
    if not lost:
        return None
    told = ", ".join(f"{name} {_what(seen)}" for name, seen in lost[:SHOWN])
    more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
    return f"{len(lost)} of {len(wanted)} files of {_bytes(piece)} that were durable before are lost: {told}{more}"


def _what(seen: str | None) -> str:
    if seen is None:
        return "is gone"
    return "has another checksum" if re.fullmatch("[0-9a-f]{64}", seen) else f"cannot be read ({seen.strip()})"


def _bytes(size: float) -> str:
    return format_quantity(size, unit="B")
