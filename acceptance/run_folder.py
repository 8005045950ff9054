"""The run's folder: `reports/<run-id>/`, written so that every file is whole at any time."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from acceptance.credentials import without_credentials
from acceptance.errors import EnvironmentFailure
from acceptance.results import Results


class RunFolder:
    """Where a run's report goes; `latest` beside it points at it."""

    def __init__(self, reports: Path, *, run_id: str) -> None:
        self.path = reports / run_id
        self.report = self.path / "report.html"
        self.junit = self.path / "junit.xml"
        self.results = self.path / "results.json"

    def make(self) -> None:
        """Make the folder and point `latest` at it. Raises EnvironmentFailure when that cannot be."""
        try:
            (self.path / "fio").mkdir(parents=True, exist_ok=True)
            link = self.path.parent / f".latest-{os.getpid()}"
            link.unlink(missing_ok=True)
            link.symlink_to(self.path.name)
            link.replace(self.path.parent / "latest")
        except OSError as error:
            raise EnvironmentFailure(f"report folder {self.path} cannot be made: {error}") from error

    def write_results(self, results: Results) -> None:
        """Write `results.json` in one move: a reader sees the old document or the new one."""
        self._replace(self.results, results.model_dump_json(indent=2) + "\n")

    def write_fio(self, name: str, output: str) -> None:
        """Keep what fio printed, as it printed it but for credentials."""
        self._replace(self.path / "fio" / (re.sub(r"[^-.\w]+", "-", name) + ".json"), without_credentials(output))

    def write_report(self, html: str) -> None:
        """Write `report.html` in one move."""
        self._replace(self.report, html)

    def _replace(self, path: Path, text: str) -> None:
        scratch = path.with_name(f".{path.name}.part")
        try:
            scratch.write_text(text, encoding="utf-8")
            scratch.replace(path)
        except OSError as error:
            with suppress(OSError):
                scratch.unlink(missing_ok=True)  # what is half written takes room that others need
            raise EnvironmentFailure(f"{path} cannot be written: {error.strerror or error}") from error
