"""The job that writes a test file in full, once for each volume."""

from __future__ import annotations

from importlib.resources import files

from acceptance.profiles import LAYOUT

LAYOUT_FILE = f"{LAYOUT}.fio"
TEST_FILE = "storage-acceptance.data"
# The slowest storage that the file is still written on within its deadline.
SLOWEST_B_PER_S = 5 * 1024**2
# A load may take this much longer than its seconds.
SPARE_S = 120


def layout_text() -> str:
    """The job file."""
    return files("acceptance.fio").joinpath(LAYOUT_FILE).read_text(encoding="utf-8")
