"""Shipped profiles at a rate, for tests that are not about speed: storage in memory takes a processor at full speed."""

from __future__ import annotations

import shutil
from pathlib import Path

from selftests.integration.suite import ROOT


def held_profiles(folder: Path, *names: str, rate: int) -> str:
    """The option for a copy of the shipped profiles, of which fio holds those named to `rate` operations a second."""
    copy = Path(shutil.copytree(ROOT / "profiles", folder / "held-profiles"))
    for name in names:
        with (copy / f"{name}.fio").open("a", encoding="utf-8") as job:  # its last section is its only job
            job.write(f"rate_iops={rate}\n")
    return f"--storage-profiles={copy}"
