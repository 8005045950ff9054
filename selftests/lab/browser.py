"""What a browser makes of a page, its scripts included: Debian's Chromium, without a window."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from embedded_cluster import packages
from selftests.bounds import HANGS_S

PROGRAMS = {"chromium": "chromium"}


# Without its sandbox, which does not start as root: the page is this test's own.
_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
_QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-extensions")


def document_after_scripts(page: Path, *, profile: Path) -> str:
    """The document as it stands when all that would run has run; `profile`: a folder for what the browser keeps."""
    return _browse("--virtual-time-budget=3000", "--dump-dom", page.as_uri(), profile=profile)


def printed_pages(page: Path, *, profile: Path, at: str = "") -> int:
    """How many sheets the page is printed on, opened at the element with the id `at`."""
    target = profile.with_suffix(".pdf")
    _browse(f"--print-to-pdf={target}", f"{page.as_uri()}#{at}", profile=profile)
    return max(map(int, re.findall(rb"/Count (\d+)", target.read_bytes())))


def _browse(*words: str, profile: Path) -> str:
    packages.ensure(PROGRAMS)
    command = ["chromium", *_OPTIONS, *_QUIET, f"--user-data-dir={profile}", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S, check=True).stdout
