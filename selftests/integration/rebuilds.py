"""What runs of rebuild tests are asked for: small ones, against limits of their own."""

from __future__ import annotations

from pathlib import Path

REBUILD = ("-m", "rebuild", "--storage-destructive")
SMALL = ("--storage-rebuild-size", "128Mi")
LAX = """
      largest_volume:
        full-data: {at_least: 1GiB, because: the test wants it so}
        alternating-4k: {at_least: 1GiB, because: the test wants it so}
"""
FOREGROUND = """
      foreground:
        write.iops: {at_least: 0.001%, because: the test wants it so}
        write.latency.p99: {at_most: 1000000 times, because: the test wants it so}
"""


def limits(folder: Path, section: str = LAX) -> str:
    """The option for a limits file with limits on rebuilds alone."""
    path = folder / "limits.yaml"
    path.write_text(f"version: 1\ntiers:\n  baseline:\n    description: for a test\n    rebuild:{section}")
    return f"--storage-thresholds={path}"
