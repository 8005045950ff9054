"""Shipped profiles at a rate, for tests that are not about speed: storage in memory takes a processor at full speed."""

from __future__ import annotations

import shutil
from pathlib import Path

from selftests.integration.suite import ROOT


def held_profiles(folder: Path, *names: str, rate: int) -> str:
    """The option for a copy of the shipped profiles, of which fio holds those named to `rate` operations a second."""
    copy = Path(shutil.copytree(ROOT / "profiles", folder / "held-profiles"))
    for name in names:
        job = copy / f"{name}.fio"
        job.write_text(f"{job.read_text()}rate_iops={rate}\n")  # its last section is its only job
    return f"--storage-profiles={copy}"
