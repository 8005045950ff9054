"""The job files that write blocks with checksums and read them again, and the commands that run them in a pod."""

from __future__ import annotations

from importlib.resources import files

BLOCK = 64 * 1024
"""Bytes of a block, as in both job files."""
PLACE_STEP, PLACES = 64, 1022
"""Bytes from one place of a block's header to the next, and the number of places in a block."""
WRITE, VERIFY = "write", "verify"
DATA_FILE = "verified"
TOLD_LINES = 600
"""The kept lines of fio's messages on mismatches, up to three for each. fio's document has the number of mismatches."""

_FIO = "fio --output-format=json --eta=never"


def job_files() -> dict[str, str]:
    """Return the texts of both job files, by name."""
    names = [f"{job}.fio" for job in (WRITE, VERIFY)]
    return {name: files("acceptance.loads.verified").joinpath(name).read_text(encoding="utf-8") for name in names}


def header_place(writing: int) -> int:
    """Return the offset (bytes) of the header in each block if a file is written for the nth time (from 1 on).

    So a block that is left from an earlier writing has no header at the offset of the last writing, unless the number
    of writings between them is a multiple of `PLACES`.
    """
    return PLACE_STEP * (1 + (writing - 1) % PLACES)


def write_command(folder: str) -> str:
    """Return shell commands that write $FILE in full, $SIZE bytes; `folder` holds the job files."""
    return f'{_FIO} "{folder}/{WRITE}.fio"'


def verify_command(folder: str) -> str:
    """Return shell commands that read $FILE and print fio's document, then the first `TOLD_LINES` of its messages.

    $READ is the size to read: 100% of a file, or the bytes that were written to a device.
    """
    keep = f"{{ head -n {TOLD_LINES}; while read -r line; do :; done; }}"  # to the end, or a broken pipe would end fio
    return f'exec 3>&1\nsaid=$(SIZE="$READ" {_FIO} "{folder}/{VERIFY}.fio" 2>&1 >&3 | {keep})\nprintf "%s\\n" "$said"'
