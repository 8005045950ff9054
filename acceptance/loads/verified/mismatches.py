"""What fio says of blocks that are not what was written, as data. Spelled as fio 3.33 does (`verify.c`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.loads.fio.documents import Document, DocumentReader
from acceptance.loads.verified.jobs import BLOCK, VERIFY
from acceptance.text.errors import EnvironmentFailure, StorageFailure

MISMATCH = 84
"""fio's error for a block that is not what was written: EILSEQ of Linux."""

_CHECKSUM = re.compile(r"crc32c: verify failed at file .* offset (\d+), length \d+")
_CHECKSUMS = re.compile(r"(Expected|Received) CRC: ([0-9a-f]+)")
_HEADER = re.compile(
    r"verify: bad (magic header|header offset|header length) (\w+), wanted \w+ at file .*? offset (\d+), length"
)


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """One block at `offset` (bytes) that is not what was written; `found` in words."""

    offset: int
    found: str


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What reading the file again showed. `wanted`, `read` in bytes; `bad`: how many blocks are not what was written.

    `mismatches`: those that fio told of, each block once, by their offset; of many not all.
    """

    wanted: int
    read: int
    bad: int
    mismatches: tuple[Mismatch, ...]


def read_verification(output: str, *, wanted: int) -> Verification:
    """What `verify.fio` showed; `output`: all that the pod printed.

    Raises StorageFailure in fio's own words where a block could not be read, EnvironmentFailure where fio did not
    come to its end.
    """
    reader = DocumentReader()
    documents = reader.feed(output) + reader.close()
    jobs = documents[-1].get("jobs") if documents else None
    if not jobs or jobs[0].get("jobname") != VERIFY:
        raise EnvironmentFailure(f"the file was not read to its end: fio printed {output.strip()[-500:] or 'nothing'}")
    job: Document = jobs[0]
    error = int(job["error"])
    if error not in (0, MISMATCH):
        raise StorageFailure(f"it cannot be read: {'; '.join(reader.messages) or f'fio ended with error {error}'}")
    return Verification(
        wanted=wanted,
        read=int(job["read"]["io_bytes"]),
        bad=max(int(job.get("total_err", 0)), int(error == MISMATCH)),
        mismatches=read_mismatches(reader.messages),
    )


def read_mismatches(lines: Sequence[str]) -> tuple[Mismatch, ...]:
    """The blocks that fio's messages tell of, each once."""
    found: dict[int, str] = {}
    checksums: dict[str, str] = {}
    for line in lines:
        if of_checksum := _CHECKSUM.search(line):
            offset, checksums = int(of_checksum[1]), {}
            found.setdefault(_block(offset), "other content than its checksum tells")
        elif of_checksums := _CHECKSUMS.search(line):
            checksums[of_checksums[1]] = of_checksums[2]
            if len(checksums) == 2 and found:
                last = next(reversed(found))
                found[last] = f"checksum {checksums['Expected']} expected, {checksums['Received']} found"
        elif of_header := _HEADER.search(line):
            found.setdefault(_block(int(of_header[3])), _header(of_header[1], of_header[2]))
    return tuple(Mismatch(offset=offset, found=found[offset]) for offset in sorted(found))


def _block(offset: int) -> int:
    return offset // BLOCK * BLOCK


def _header(what: str, found: str) -> str:
    if what == "header offset":
        return f"the block that was written at offset {int(found):,}"
    return "zeros, or never written" if found == "0" else "older or foreign content"
