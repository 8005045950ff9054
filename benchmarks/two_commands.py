"""The waiting time of a new user: the two commands of the README in a fresh clone of the committed state.

    python benchmarks/two_commands.py [--runs N] [--bare] [--command accept|smoke|test|test-full ...]

With `--bare` every cache is empty as well: Go modules, builds, Python packages; installed Debian packages stay.
It prints figures next to goals, and ends with 0 whatever they are, since this measures and does not judge.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
# Minutes on a slow machine of 2 cores, with builds cached and without.
GOALS_MIN = {"accept": (8.0, 18.0), "smoke": (1.5, 12.0), "test": (25.0, 37.0), "test-full": (60.0, 72.0)}
MEMORY_GOAL_MB = 200
CACHES = {"XDG_CACHE_HOME": "cache", "GOMODCACHE": "modules", "GOCACHE": "objects", "PIP_CACHE_DIR": "pip"}
LOOK_S = 0.5


@dataclass
class SuiteTimes:
    """Times of the suite's own process: its start and its first verdict, in s of the command; its memory in bytes."""

    began: float | None = None
    first_verdict: float | None = None
    peak: int = 0


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1, help="runs of each command (default: %(default)s)")
    parser.add_argument("--bare", action="store_true", help="empty every cache first")
    parser.add_argument("--command", action="append", choices=GOALS_MIN, help="repeatable (default: accept and test)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        caches = {name: f"{folder}/{path}" for name, path in CACHES.items()} | {"GOFLAGS": "-modcacherw"}
        for name in options.command or ("accept", "test"):
            for _ in range(options.runs):
                _measure(name, clone, os.environ | (caches if options.bare else {}), bare=options.bare)
    return 0


def _measure(name: str, clone: Path, environment: dict[str, str], *, bare: bool) -> None:
    log = clone / f"{name}.log"
    shutil.rmtree(clone / "reports", ignore_errors=True)
    began = time.monotonic()
    with log.open("w") as output:
        process = psutil.Popen(["make", name], cwd=clone, env=environment, stdout=output, stderr=output)
        times = _watch(process, clone / "reports" / "latest" / "results.json", began)
    minutes = (time.monotonic() - began) / 60
    print(f"make {name:9} exit {process.returncode}  {minutes:6.1f} min  goal {GOALS_MIN[name][bare]:.1f} min", end="")
    if times.began is not None and name in ("accept", "smoke"):
        verdict = "none" if times.first_verdict is None else f"{times.first_verdict - times.began:.0f} s"
        print(f"  before the suite began {times.began:4.0f} s, then to the first verdict {verdict}", end="")
        print(f"  memory {times.peak / 1e6:.0f} MB, goal {MEMORY_GOAL_MB} MB", end="")
    print(flush=True)
    if process.returncode:
        log_copy = ROOT / "reports" / f"make-{name}.log"
        log_copy.parent.mkdir(exist_ok=True)
        shutil.copy(log, log_copy)
        print(f"output of the command: {log_copy}")


def _watch(process: psutil.Popen, results: Path, began: float) -> SuiteTimes:
    """Watch until the command ends. Ignore processes that the suite's own starts (loads of the host, drawings)."""
    times = SuiteTimes()
    while process.poll() is None:
        time.sleep(LOOK_S)
        for child in process.children(recursive=True):
            try:
                words = child.cmdline()
                starts_the_cluster = "embedded_cluster" in words
                if "pytest" in words and "--storage-class" in words and not starts_the_cluster:
                    times.began = times.began or time.monotonic() - began
                    times.peak = max(times.peak, child.memory_info().rss)
            except psutil.Error:
                continue
        if times.began and not times.first_verdict and _has_verdict(results):
            times.first_verdict = time.monotonic() - began
    return times


def _has_verdict(results: Path) -> bool:
    try:
        return bool(json.loads(results.read_text(encoding="utf-8"))["verdicts"])
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    sys.exit(main())
