"""The run's folder: `reports/<run-id>/`, written so that every file is whole at any time."""

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
    """Where a run's report goes; `latest` beside it points at it."""

    def __init__(self, reports: Path, *, run_id: str) -> None:
        self.path = reports / run_id
        self.report = self.path / REPORT
        self.junit = self.path / JUNIT
        self.results = self.path / "results.json"
        self.checksums = self.path / CHECKSUMS
        self.metrics = self.path / METRICS
        self._begun: list[Path] = []

    def begin(self) -> None:
        """Make the folder, and those above it; `latest` still points elsewhere. Raises OSError when that cannot be."""
        path = self.path.absolute()
        self._begun = [parent for parent in (path, *path.parents) if not parent.exists()]
        path.mkdir(parents=True, exist_ok=True)

    def discard(self) -> None:
        """Remove what `begin` made, and what was written into the folder since; nothing else that is above it."""
        own, above = self._begun[:1], self._begun[1:]
        for folder in own:
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # it holds something by now, as another run
            for folder in above:
                folder.rmdir()

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
        """Write `results.json` in one move: a reader sees the old document or the new one.

        Of a run that has come to its end, the checksums of what it measured too; `seal` adds the page.
        """
        write_whole(self.results, results.model_dump_json(indent=2) + "\n")
        if results.run.exit_status is not None:
            write_whole(self.checksums, checksums(self.path))

    def results_digest(self) -> str | None:
        """The SHA-256 of `results.json` as it is now; None where it cannot be read."""
        try:
            return digest_of(self.results)
        except OSError:
            return None

    def seal(self, *, whole: bool = False) -> None:
        """Write the checksums of all evidence, once the last page of the run is written.

        `whole`: so are JUnit's file and the metrics, as far as they could be made.
        """
        written = (REPORT, JUNIT, METRICS) if whole else (REPORT,)
        there = [name for name in written if (self.path / name).is_file()]
        try:
            write_whole(self.checksums, checksums(self.path, renderings=there))
        except OSError as error:
            raise EnvironmentFailure(f"{self.checksums} cannot be written: {error}") from error

    def write_fio(self, name: str, pieces: Iterable[str]) -> None:
        """Keep what fio printed, as it printed it but for credentials, of which none reaches over two pieces."""
        path = self.path / "fio" / (re.sub(r"[^-.\w]+", "-", name) + ".json")
        write_pieces_whole(path, map(redact, pieces))

    def keep_import(self, source: Path, *, name: str, sha256: str) -> None:
        """Keep a file of another tool byte for byte, so that its digest stays; `name`: its path in this folder.

        Raises EnvironmentFailure where it cannot be kept, or is no longer the file of that digest.
        """
        try:
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, self.path / name)
        except OSError as error:
            raise EnvironmentFailure(f"{source} cannot be kept in {self.path}: {error}; make room") from error
        if digest_of(self.path / name) != sha256:
            raise EnvironmentFailure(f"{source} changed after it was read; import it again when it is complete")

    def write_metrics(self, text: str) -> None:
        """Write `metrics.prom` in one move, under a name before that which no collector of such files reads."""
        write_whole(self.metrics, text)

    def write_junit(self, text: str) -> None:
        """Write `junit.xml` in one move."""
        write_whole(self.junit, text)

    def write_report(self, html: str) -> None:
        """Write `report.html` in one move."""
        write_whole(self.report, html)
