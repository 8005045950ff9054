"""`quick`: figures of a class within 90 s, in one table; nothing is judged, and only failing storage is a fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from acceptance.report.figures import shown_mean
from acceptance.report.plain_table import table_text
from acceptance.results.document import Measurement, Results
from acceptance.text.program import PROGRAM
from acceptance.text.sanitizing import sanitize
from storage_acceptance.pytest_session import PLUGINS, TESTS, run_tests

LOADS = {
    "sync-write-iops": "synchronous writes, 4 KiB",
    "random-read-latency": "random reads, depth 1",
    "random-write-latency": "random writes, depth 1",
    "random-read-iops": "random reads, depth 64",
    "random-write-iops": "random writes, depth 64",
}
"""The profiles, in the order of the table, with their names there."""
USAGE = f"usage: {PROGRAM} quick [CLASS|DIR] [OPTIONS]"
SELECTION = (
    f"--storage-thresholds={Path(__file__).with_name('quick.yaml')}",
    "--storage-tier=quick",
    "--storage-volume-size=1Gi",
    "--storage-test-size=512Mi",
    "--storage-load",
    "unjudged=6s",
    "--storage-load",
    "longest=60s",
    "-k",
    " or ".join(LOADS),
)
_TESTS = (f"{TESTS}.{name}" for name in ("test_synchronous_writes", "test_further_profiles"))
_FIXTURES = PLUGINS.rpartition(".")[0]


def quick(words: Sequence[str]) -> int:
    """Run with these words; return the run's exit status, which is 0 if there are figures and nothing was judged."""
    return run_tests(
        [*SELECTION, *_TESTS, "--no-header", "-r", "E", "--tb=no", *words], plugins=[OneTable()], usage=USAGE
    )


class OneTable:
    """A plugin that reports the figures of the run, in place of all verdicts."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Mark the run as one that shows figures; there is no run if tests are only listed or planned."""
        run: Any = config.stash.get(_run_module().RUN, None)
        if run is not None:
            run.figures_alone = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Print the table, the problems, and the path of the report; nothing if the run has no results."""
        run: Any = config.stash.get(_run_module().RUN, None)
        if run is None or run.status is None:
            return
        results: Results = run.recorder.results()
        terminalreporter.ensure_newline()
        if results.measurements:
            terminalreporter.write_sep("=", "quick figures")
            heads = ("", "IOPS", "bandwidth", "mean latency", "p99")
            terminalreporter.write_line(table_text(heads, _rows(results)))
        verdict_lines = [
            f"{verdict.status}: {verdict.reason}"
            for verdict in results.verdicts
            if verdict.status in ("fail", "inconclusive")
        ]
        for line in (*verdict_lines, *results.errors, *results.warnings):
            terminalreporter.write_line(sanitize(line))
        if results.measurements:
            terminalreporter.write_line(
                "Nothing was judged: these are figures of 6 s of load each, and caches may have helped. "
                "`storage-acceptance run` judges."
            )
        terminalreporter.write_line(f"report: {run.folder.report}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Unregister the plugin that would report each verdict."""
        session.config.pluginmanager.unregister(name=f"{_FIXTURES}.verdicts")


def _run_module() -> Any:
    """Return the plugin that holds the run, of whichever of the two packages of plugins this is."""
    return import_module(f"{_FIXTURES}.run")


def _rows(results: Results) -> Iterator[tuple[str, ...]]:
    """Yield a row for each class and load, in the order of `LOADS`."""
    several = len({measurement.storage_class for measurement in results.measurements}) > 1
    places = list(LOADS)
    for measurement in sorted(
        results.measurements, key=lambda entry: places.index(entry.profile) if entry.profile in LOADS else 99
    ):
        name = LOADS.get(measurement.profile, measurement.profile)
        yield (f"{name} on {measurement.storage_class}" if several else name, *_cells(measurement))


def _cells(measurement: Measurement) -> Iterator[str]:
    """Yield the figures of what the load reads, else of what it writes."""
    metrics = measurement.metrics
    direction = "read" if "read.iops" in metrics else "write"
    for metric in ("iops", "bandwidth", "latency.mean", "latency.p99"):
        yield shown_mean(metrics.get(f"{direction}.{metric}"))
