"""A wall clock that is wrong and that is set while a process runs: for that process alone, through libfaketime."""

from __future__ import annotations

from pathlib import Path

from embedded_cluster import packages
from embedded_cluster.commands import run

# Python sleeps until a moment of the monotonic clock, for which libfaketime 0.9.10 knows no answer but EINVAL.
_SLEEP = "import select, time\ntime.sleep = lambda seconds: select.select([], [], [], seconds) and None\n"


class WrongClock:
    """Processes with this `environment` have a wall clock that is as wrong as `set` last made it.

    Their monotonic clock, and all clocks of other processes, run on as they are.
    """

    def __init__(self, folder: Path) -> None:
        packages.ensure({"faketime": "faketime"})
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(_SLEEP)
        self._file = folder / "clock"
        self.environment = {
            # The program knows where its library is, on any architecture.
            "LD_PRELOAD": run(["faketime", "+0 seconds", "printenv", "LD_PRELOAD"]).strip(),
            "PYTHONPATH": str(folder),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, *, minutes: int) -> None:
        """Put it so many minutes ahead of the machine's, or behind where negative; it is seen within a second."""
        scratch = self._file.with_suffix(".part")
        scratch.write_text(f"{minutes:+d}m\n")
        scratch.replace(self._file)
