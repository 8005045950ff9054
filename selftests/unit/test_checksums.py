"""The checksums: coreutils agree with it, and whatever is changed, taken away or added afterwards is named."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acceptance.results.checksums import NAME, check
from acceptance.results.recorder import Recorder
from acceptance.results.run_folder import RunFolder
from acceptance.text.errors import WrongUsage

RAW = "fio/sync-write-iops-fast-1.json"


def ended(folder: Path, *, exit_status: int | None = 5) -> RunFolder:
    made = RunFolder(folder, run_id="r")
    made.make()
    recorder = Recorder(run_id="r", started_at=datetime.now(UTC), settings={"tier": "µ"}, tier_limits=0)
    made.write_results(recorder.results())
    made.write_fio("sync-write-iops-fast-1", ["{}\n"])
    made.write_fio("Größe 大", [])
    made.write_results(recorder.results(exit_status=exit_status))
    made.write_report("<html>")
    if exit_status is not None:
        made.seal()
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return ended(tmp_path).path


def test_what_a_run_left_is_as_listed_and_coreutils_say_so_too(folder: Path) -> None:
    found = check(folder)
    assert (found.listed_count, found.problems, list(found.unlisted_files)) == (4, [], [NAME])
    done = subprocess.run(
        ["sha256sum", "-c", "--strict", NAME], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.count(": OK")) == (0, 4), done.stderr
    digest = subprocess.run(["sha256sum", NAME], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert digest.split()[0] == found.digest


@pytest.mark.parametrize("made", [(), ("junit.xml",), ("junit.xml", "metrics.prom")], ids=len)
def test_what_machines_read_is_covered_as_far_as_it_was_made(made: tuple[str, ...], tmp_path: Path) -> None:
    run = ended(tmp_path)
    for name in made:
        (run.path / name).write_text("1")
    run.seal()
    assert list(check(run.path).unlisted_files) == [NAME, *made]  # it may be written again
    run.seal(whole=True)
    for name in made:
        (run.path / name).write_text("2")
    found = check(run.path)
    assert (list(found.changed_files), list(found.unlisted_files)) == (list(made), [NAME])


def test_checksums_that_coreutils_wrote_are_read_too(folder: Path) -> None:
    text = subprocess.run(
        ["sha256sum", "--binary", "results.json", *sorted(f"fio/{each}" for each in os.listdir(folder / "fio"))],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (folder / NAME).write_text(text)
    assert check(folder).problems == []


def swap(folder: Path) -> None:
    """Another file of the same size, at the same time."""
    path = folder / RAW
    times = path.stat()
    path.write_text("[]\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def link(folder: Path) -> None:
    """The same content for now."""
    copy = folder.parent / "copy"
    copy.write_bytes((folder / RAW).read_bytes())
    (folder / RAW).unlink()
    (folder / RAW).symlink_to(copy)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (swap, f"{RAW}: changed"),
        (link, f"{RAW}: changed"),
        (lambda folder: (folder / "results.json").write_bytes((folder / "results.json").read_bytes() + b" "), None),
        (lambda folder: (folder / RAW).unlink(), f"{RAW}: missing"),
        (lambda folder: (folder / RAW).rename(folder / "fio" / "other.json"), f"{RAW}: missing"),
        (lambda folder: (folder / "fio" / "other.json").write_text(""), "fio/other.json: added after the run"),
        (lambda folder: (folder / "report.html").write_text("<html >"), "report.html: changed"),
        (lambda folder: (folder / "report.html").unlink(), "report.html: missing"),
        (lambda folder: (folder / "fio" / "report.html").write_text(""), "fio/report.html: added after the run"),
        (lambda folder: (folder / "results-final.json").write_text(""), "results-final.json: added after the run"),
        (lambda folder: (folder / ".hidden").write_text(""), ".hidden: added after the run"),
    ],
)
def test_every_change_is_named(change: Callable[[Path], object], problem: str | None, folder: Path) -> None:
    change(folder)
    assert (problem or "results.json: changed") in check(folder).problems


def test_checksums_that_leave_the_results_out_do_not_cover_the_run(folder: Path) -> None:
    checksums = folder / NAME
    checksums.write_text("".join(line for line in checksums.open() if "results.json" not in line))
    assert check(folder).problems == ["results.json: added after the run"]
    (folder / "results.json").unlink()
    assert check(folder).problems == ["results.json: missing"]


def test_signatures_and_what_is_made_of_the_results_are_not_covered(folder: Path) -> None:
    for name in (f"{NAME}.asc", f"{NAME}.minisig", f"{NAME}.cosign.bundle", "junit.xml", "again.html", "metrics.prom"):
        (folder / name).write_text("")
    assert check(folder).problems == []
    assert len(check(folder).unlisted_files) == 7


def test_the_report_of_an_older_suite_is_not_covered(folder: Path) -> None:
    listed = folder / NAME
    listed.write_text("".join(line for line in listed.open() if "report.html" not in line))
    found = check(folder)
    assert (found.problems, list(found.unlisted_files)) == ([], [NAME, "report.html"])


def test_results_that_are_written_again_leave_no_page_in_the_list(folder: Path) -> None:
    """The page is of the results before: it is covered once it was written again."""
    recorder = Recorder(run_id="r", started_at=datetime.now(UTC), settings={}, tier_limits=0)
    RunFolder(folder.parent, run_id="r").write_results(recorder.results(exit_status=5))
    assert "report.html" not in (folder / NAME).read_text()
    assert check(folder).problems == []


def test_a_run_that_was_killed_has_no_checksums_and_that_is_said(tmp_path: Path) -> None:
    folder = ended(tmp_path, exit_status=None).path
    assert not (folder / NAME).exists()
    with pytest.raises(WrongUsage, match="found none: the run was killed before that, or is of an older suite"):
        check(folder)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected checksums, found an empty file"),
        ("hello\n", r"SHA256SUMS:1: expected a SHA-256, two spaces and the name of a file of the run, found 'hello'"),
        (f"{'a' * 64}  ../../etc/passwd\n", "found 'aaaa"),
        (f"{'a' * 64}  /etc/passwd\n", "found 'aaaa"),
        (f"{'a' * 64}  fio/../results.json\n", "found 'aaaa"),
        ("\x80", "expected readable checksums"),
    ],
)
def test_what_are_no_checksums_is_told(text: str, told: str, folder: Path) -> None:
    (folder / NAME).write_text(text, encoding="latin-1")
    with pytest.raises(WrongUsage, match=told):
        check(folder)
