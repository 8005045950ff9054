"""fio's messages about blocks that differ from what was written, as data. Spelled as in fio 3.33 (`verify.c`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.loads.fio.documents import Document, DocumentReader
from acceptance.loads.verified.jobs import BLOCK, VERIFY
from acceptance.text.errors import EnvironmentFailure, StorageFailure

MISMATCH = 84
"""fio's error for a block that differs from what was written: EILSEQ of Linux."""

_CHECKSUM = re.compile(r"crc32c: verify failed at file .* offset (\d+), length \d+")
_CHECKSUMS = re.compile(r"(Expected|Received) CRC: ([0-9a-f]+)")
_HEADER = re.compile(
    r"verify: bad (magic header|header offset|header length) (\w+), wanted \w+ at file .*? offset (\d+), length"
)


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """A block at `offset` (bytes) that differs from what was written; `content` describes it in words."""

    offset: int
    content: str


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The result of reading the file again. `expected_size`, `read` in bytes; `bad`: number of blocks that differ.

    `mismatches`: those that fio reported, each block once, sorted by offset; if there are many, not all.
    """

    expected_size: int
    read: int
    bad: int
    mismatches: tuple[Mismatch, ...]


def read_verification(output: str, *, expected_size: int) -> Verification:
    """Return the result of `verify.fio`; `output` is the complete output of the pod.

    Raises StorageFailure in fio's own words if a block could not be read, EnvironmentFailure if fio did not finish.
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
        expected_size=expected_size,
        read=int(job["read"]["io_bytes"]),
        bad=max(int(job.get("total_err", 0)), int(error == MISMATCH)),
        mismatches=read_mismatches(reader.messages),
    )


def read_mismatches(lines: Sequence[str]) -> tuple[Mismatch, ...]:
    """Return the blocks that fio's messages report, each once."""
    contents: dict[int, str] = {}
    checksums: dict[str, str] = {}
    for line in lines:
        if of_checksum := _CHECKSUM.search(line):
            offset, checksums = int(of_checksum[1]), {}
            contents.setdefault(_block(offset), "content that does not match its checksum")
        elif of_checksums := _CHECKSUMS.search(line):
            checksums[of_checksums[1]] = of_checksums[2]
            if len(checksums) == 2 and contents:
                last = next(reversed(contents))
                contents[last] = f"checksum {checksums['Expected']} expected, {checksums['Received']} found"
        elif of_header := _HEADER.search(line):
            contents.setdefault(_block(int(of_header[3])), _header(of_header[1], of_header[2]))
    return tuple(Mismatch(offset=offset, content=contents[offset]) for offset in sorted(contents))


def _block(offset: int) -> int:
    return offset // BLOCK * BLOCK


def _header(field: str, value: str) -> str:
    if field == "header offset":
        return f"the block that was written at offset {int(value):,}"
    return "zeros, or never written" if value == "0" else "older or foreign content"
