"""The run's folder: `reports/<run-id>/`, written so that every file is complete at any time."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from acceptance.process.whole_file import write_pieces_whole, write_whole
from acceptance.results.checksums import JUNIT, METRICS, REPORT, checksums, digest_of
from acceptance.results.checksums import NAME as CHECKSUMS
from acceptance.results.document import Results
from acceptance.text.errors import EnvironmentFailure
from acceptance.text.redaction import redact


class RunFolder:
    """The folder of a run's report; the link `latest` next to it points to it."""

    def __init__(self, reports: Path, *, run_id: str) -> None:
        self.path = reports / run_id
        self.report = self.path / REPORT
        self.junit = self.path / JUNIT
        self.results = self.path / "results.json"
        self.checksums = self.path / CHECKSUMS
        self.metrics = self.path / METRICS
        self._created_folders: list[Path] = []

    def begin(self) -> None:
        """Create the folder and its parents; `latest` still points elsewhere. Raises OSError if that fails."""
        path = self.path.absolute()
        self._created_folders = [parent for parent in (path, *path.parents) if not parent.exists()]
        path.mkdir(parents=True, exist_ok=True)

    def discard(self) -> None:
        """Remove the folders that `begin` created, with the content of the run's folder, and nothing else."""
        own, above = self._created_folders[:1], self._created_folders[1:]
        for folder in own:
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # it is not empty any more, for example because of another run
            for folder in above:
                folder.rmdir()

    def make(self) -> None:
        """Create the folder and point `latest` to it. Raises EnvironmentFailure if that fails."""
        try:
            (self.path / "fio").mkdir(parents=True, exist_ok=True)
            link = self.path.parent / f".latest-{os.getpid()}"
            link.unlink(missing_ok=True)
            link.symlink_to(self.path.name)
            link.replace(self.path.parent / "latest")
        except OSError as error:
            raise EnvironmentFailure(f"report folder {self.path} cannot be created: {error}") from error

    def write_results(self, results: Results) -> None:
        """Write `results.json` atomically: a reader sees the old document or the new one.

        If the run has ended, also write the checksums of its measurements; `seal` adds the report.
        """
        write_whole(self.results, results.model_dump_json(indent=2) + "\n")
        if results.run.exit_status is not None:
            write_whole(self.checksums, checksums(self.path))

    def results_digest(self) -> str | None:
        """Return the SHA-256 of the current `results.json`; None if it cannot be read."""
        try:
            return digest_of(self.results)
        except OSError:
            return None

    def seal(self, *, whole: bool = False) -> None:
        """Write the checksums of all evidence, once the last page of the run is written.

        `whole`: JUnit's file and the metrics are written too, if they could be created.
        """
        documents = (REPORT, JUNIT, METRICS) if whole else (REPORT,)
        existing = [name for name in documents if (self.path / name).is_file()]
        try:
            write_whole(self.checksums, checksums(self.path, renderings=existing))
        except OSError as error:
            raise EnvironmentFailure(f"{self.checksums} cannot be written: {error}") from error

    def write_fio(self, name: str, pieces: Iterable[str]) -> None:
        """Keep fio's output unchanged except for credentials, none of which spans two pieces."""
        path = self.path / "fio" / (re.sub(r"[^-.\w]+", "-", name) + ".json")
        write_pieces_whole(path, map(redact, pieces))

    def keep_import(self, source: Path, *, name: str, sha256: str) -> None:
        """Copy a file of another tool byte for byte, so that its digest stays; `name`: its path in this folder.

        Raises EnvironmentFailure if it cannot be copied, or no longer has that digest.
        """
        try:
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, self.path / name)
        except OSError as error:
            raise EnvironmentFailure(f"{source} cannot be copied to {self.path}: {error}; free some space") from error
        if digest_of(self.path / name) != sha256:
            raise EnvironmentFailure(f"{source} changed after it was read; import it again when it is complete")

    def write_metrics(self, text: str) -> None:
        """Write `metrics.prom` atomically, first under a name that no collector of such files reads."""
        write_whole(self.metrics, text)

    def write_junit(self, text: str) -> None:
        """Write `junit.xml` atomically."""
        write_whole(self.junit, text)

    def write_report(self, html: str) -> None:
        """Write `report.html` atomically."""
        write_whole(self.report, html)
