"""A report that cannot be written is an error of the environment, told once, and hides no verdict."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from acceptance.results.checksums import check
from acceptance.results.recorder import Recorder
from acceptance.results.run_folder import RunFolder
from acceptance.text.errors import EnvironmentFailure
from fixtures.report import Page
from fixtures.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = RunFolder(tmp_path, run_id="r")
    folder.make()
    recorder = Recorder(run_id="r", started_at=datetime.now(UTC), settings={}, tier_limits=0)
    return Run(id="r", folder=folder, recorder=recorder)


def fill(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of each file is written, and then there is no room."""

    opened = Path.open

    def open_file(path: Path, mode: str = "r", **named: Any) -> Any:
        if mode != "w":
            return opened(path, mode, **named)
        path.write_bytes(b"{")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", open_file)


def test_what_was_written_before_stays_whole(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run.write_results()
    before = run.folder.results.read_text()
    fill(run, monkeypatch)
    run.recorder.errors.append("more")
    run.write_results()
    assert run.folder.results.read_text() == before
    assert sorted(path.name for path in run.folder.path.iterdir()) == ["fio", "results.json"]


def test_it_is_told_once_and_not_raised(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(run, monkeypatch)
    for number in range(3):
        run.write_fio(f"load-{number}", ["output"])
    assert run.unwritten and run.error_statuses == {EnvironmentFailure.exit_status}
    (error,) = run.recorder.errors
    assert "load-0.json cannot be written: No space left on device" in error


def test_any_other_file_that_cannot_be_written_is_the_same(run: Run) -> None:
    with run.writing():
        raise OSError(28, "No space left on device")
    assert run.unwritten


def test_other_errors_are_not_swallowed(run: Run) -> None:
    with pytest.raises(ValueError, match="a fault of the suite"), run.writing():
        raise ValueError("a fault of the suite")


def test_a_fault_in_the_report_ends_no_run_and_is_a_warning(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    report = run.folder.report
    page = Page(run)
    page.publish()
    written = report.read_text(encoding="utf-8")
    assert "No verdict" in written

    def faulty(_: object, **__: object) -> str:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("fixtures.report.render_summary", faulty)
    for _ in range(2):
        page.publish()
        assert report.read_text(encoding="utf-8") == written
    (warning,) = run.recorder.warnings
    assert warning.startswith("report.html could not be created") and "ZeroDivisionError: division by zero" in warning
    assert not run.recorder.errors and not run.error_statuses and not run.unwritten


def test_the_last_page_is_covered_and_names_the_results_that_it_is_of(run: Run) -> None:
    folder = run.folder
    page = Page(run)
    page.publish()
    run.status = 5
    run.write_results(exit_status=5)
    page.publish(exit_status=5)
    page.seal(5)
    run.follow = page.seal
    for warning in ("none yet", "the table could not be drawn"):
        digest = sha256(folder.results.read_bytes()).hexdigest()
        html = folder.report.read_text(encoding="utf-8")
        assert f"SHA-256 <code>{digest}</code>" in html and ("could not be drawn" in html) == (warning != "none yet")
        found = check(folder.path)
        assert (found.problems, list(found.unlisted_files)) == ([], ["SHA256SUMS"])
        known = len(run.recorder.warnings)
        run.recorder.warn("late", "the table could not be drawn")
        run.write_late_warnings(warning_count=known, exit_status=5)


def test_a_run_without_results_has_nothing_to_seal(run: Run) -> None:
    page = Page(run)
    run.status = 5
    page.publish(exit_status=5)
    page.seal(5)
    assert not run.folder.checksums.exists() and not run.unwritten
    run.status = None
    run.write_results(exit_status=5)
    page.seal(5)
    assert "report.html" not in run.folder.checksums.read_text()


def test_an_interruption_is_no_fault(run: Run) -> None:
    with pytest.raises(KeyboardInterrupt), run.telling("a test"):
        raise KeyboardInterrupt
    assert run.recorder.warnings == []


def test_a_full_disk_while_something_is_told_is_still_the_environment(run: Run) -> None:
    with run.telling("a test"), run.writing():
        raise OSError(28, "No space left on device")
    assert run.unwritten and run.recorder.warnings == []
