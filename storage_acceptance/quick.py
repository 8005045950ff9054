"""`quick`: figures of a class within 90 s, in one table; nothing is judged, and only storage that fails is a fail."""

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
"""The profiles, in the order of the table, in words."""
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
    """Run with these words; the exit status of the run, which is 0 where there are figures and nothing was judged."""
    return run_tests(
        [*SELECTION, *_TESTS, "--no-header", "-r", "E", "--tb=no", *words], plugins=[OneTable()], usage=USAGE
    )


class OneTable:
    """A plugin that tells of the run what it is for, in the place of all verdicts."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """The run is there to show figures; where tests are only listed or planned there is none."""
        run: Any = config.stash.get(_run_module().RUN, None)
        if run is not None:
            run.figures_alone = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """The table, what did not go well, and where the rest is; nothing of a run that has no results."""
        run: Any = config.stash.get(_run_module().RUN, None)
        if run is None or run.status is None:
            return
        results: Results = run.recorder.results()
        terminalreporter.ensure_newline()
        if results.measurements:
            terminalreporter.write_sep("=", "quick figures")
            heads = ("", "IOPS", "bandwidth", "mean latency", "p99")
            terminalreporter.write_line(table_text(heads, _rows(results)))
        told = [
            f"{verdict.status}: {verdict.reason}"
            for verdict in results.verdicts
            if verdict.status in ("fail", "inconclusive")
        ]
        for line in (*told, *results.errors, *results.warnings):
            terminalreporter.write_line(sanitize(line))
        if results.measurements:
            terminalreporter.write_line(
                "Nothing was judged: these are figures of 6 s of load each, and caches may have helped. "
                "`storage-acceptance run` judges."
            )
        terminalreporter.write_line(f"report: {run.folder.report}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """What would tell of each verdict is not asked to."""
        session.config.pluginmanager.unregister(name=f"{_FIXTURES}.verdicts")


def _run_module() -> Any:
    """The plugin that holds the run, whichever of the two packages of plugins this is."""
    return import_module(f"{_FIXTURES}.run")


def _rows(results: Results) -> Iterator[tuple[str, ...]]:
    """One for each class and load, in the order of `LOADS`."""
    several = len({measurement.storage_class for measurement in results.measurements}) > 1
    places = list(LOADS)
    for measurement in sorted(
        results.measurements, key=lambda one: places.index(one.profile) if one.profile in LOADS else 99
    ):
        name = LOADS.get(measurement.profile, measurement.profile)
        yield (f"{name} on {measurement.storage_class}" if several else name, *_cells(measurement))


def _cells(measurement: Measurement) -> Iterator[str]:
    """What the load reads, else what it writes."""
    metrics = measurement.metrics
    direction = "read" if "read.iops" in metrics else "write"
    for metric in ("iops", "bandwidth", "latency.mean", "latency.p99"):
        yield shown_mean(metrics.get(f"{direction}.{metric}"))
