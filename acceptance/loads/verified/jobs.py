"""The job files that write with checksums and read them again, and the commands that run them in a pod."""

from __future__ import annotations

from importlib.resources import files

BLOCK = 64 * 1024
"""bytes of a block, as both job files say"""
PLACE_STEP, PLACES = 64, 1022
"""bytes from one place of a block's header to the next, and how many places a block has"""
WRITE, VERIFY = "write", "verify"
DATA_FILE = "verified"
TOLD_LINES = 600
"""Of fio's words on mismatches; each has up to three lines. How many there are in all is in its document."""

_FIO = "fio --output-format=json --eta=never"


def job_files() -> dict[str, str]:
    """The texts of both job files, by name."""
    names = [f"{job}.fio" for job in (WRITE, VERIFY)]
    return {name: files("acceptance.loads.verified").joinpath(name).read_text(encoding="utf-8") for name in names}


def header_place(writing: int) -> int:
    """Return where in each block its header is, in bytes, when a file is written for the nth time (from 1 on).

    A block that is left from an earlier writing so has no header where the last writing put it, unless exactly a
    multiple of `PLACES` writings lie between them.
    """
    return PLACE_STEP * (1 + (writing - 1) % PLACES)


def write_command(folder: str) -> str:
    """Shell commands that write $FILE in full, $SIZE bytes; `folder` holds the job files."""
    return f'{_FIO} "{folder}/{WRITE}.fio"'


def verify_command(folder: str) -> str:
    """Shell commands that read $FILE and print fio's document, then its words, the first of them where they are many.

    $READ is the size to read: 100% of a file, the bytes that were written of a device.
    """
    keep = f"{{ head -n {TOLD_LINES}; while read -r line; do :; done; }}"  # to the end, or fio would die of its words
    return f'exec 3>&1\nsaid=$(SIZE="$READ" {_FIO} "{folder}/{VERIFY}.fio" 2>&1 >&3 | {keep})\nprintf "%s\\n" "$said"'
