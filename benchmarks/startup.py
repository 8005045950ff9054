"""The cost of the embedded cluster: seconds until it is up, and memory.

    python benchmarks/startup.py [--runs N] [--cold]

A cluster of its own is started and removed; none that runs is touched. With `--cold`, first once with nothing
cached: no Go modules, no builds, no images. It prints figures next to goals and never fails because they are missed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
NAME = "startup-benchmark"

COLD_GOAL_S = 12 * 60
CACHED_GOAL_S = 30


def command(verb: str, *, environment: dict[str, str] | None = None) -> float:
    """Run one command of the embedded cluster; return its seconds."""
    began_s = time.monotonic()
    words = [sys.executable, "-m", "embedded_cluster", verb, "--name", NAME]
    subprocess.run(words, cwd=ROOT, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began_s


def memory_gib() -> float:
    """Return the memory of all the cluster's processes, with shared pages counted once (proportional set size)."""
    total = 0
    for process in psutil.process_iter():
        try:
            if process.environ().get("STORAGE_ACCEPTANCE_CLUSTER") == NAME:
                total += process.memory_full_info().pss
        except psutil.Error:
            continue
    return total / 1024**3


def cold() -> float:
    """Return the seconds of a first `up` with every cache empty. Remove the caches afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {"XDG_CACHE_HOME": "cache", "GOMODCACHE": "modules", "GOCACHE": "objects"}
        # Go makes its modules read-only, which keeps them from being removed.
        environment = {**{name: f"{folder}/{path}" for name, path in caches.items()}, "GOFLAGS": "-modcacherw"}
        try:
            return command("up", environment=environment)
        finally:
            command("down")


def main() -> None:
    """Print the figures next to the goals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs with everything cached (default: %(default)s)")
    parser.add_argument("--cold", action="store_true", help="also once with nothing cached; takes many minutes")
    options = parser.parse_args()
    command("down")
    if options.cold:
        print(f"up, nothing cached   {cold():6.1f} s     goal {COLD_GOAL_S} s", flush=True)
    for run in range(options.runs):
        try:
            seconds = command("up")
            memory = memory_gib()
        finally:
            down = command("down")
        print(f"up, builds cached    {seconds:6.1f} s     goal {CACHED_GOAL_S} s   (run {run + 1})")
        print(f"memory when idle     {memory:6.2f} GiB")
        print(f"down                 {down:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
