"""What a browser makes of a page, its scripts included: Debian's Chromium, without a window."""

from __future__ import annotations

import subprocess
from pathlib import Path

from embedded_cluster import packages

PROGRAMS = {"chromium": "chromium"}


def document_after_scripts(page: Path, *, profile: Path) -> str:
    """The document as it stands when all that would run has run; `profile`: a folder for what the browser keeps."""
    packages.ensure(PROGRAMS)
    # Without its sandbox, which does not start as root: the page is this test's own.
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-extensions"]
    waits = ["--virtual-time-budget=3000", "--dump-dom", page.as_uri()]
    words = ["chromium", *options, *quiet, f"--user-data-dir={profile}", *waits]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=True).stdout
