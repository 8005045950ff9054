"""`report` and `compare` on what a real run left: verified, rendered again, beside others, and compared."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration.held_loads import held_profiles
from selftests.integration.suite import READ_LIMIT, ROOT, SuiteRun, finish, run_suite, started_suite, suite_environment

READS = ("-k", "random-read-iops")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A run of two directories of this host, in turn."""
    folder = tmp_path_factory.mktemp("report-command")
    (folder / "limits.yaml").write_text(READ_LIMIT)
    for name in ("disk", "local"):
        (folder / name).mkdir()
    run = run_suite(
        "--storage-cluster=host",
        f"--storage-class={folder / 'disk'}",
        f"--storage-baseline-class={folder / 'local'}",
        f"--storage-thresholds={folder / 'limits.yaml'}",
        held_profiles(folder, "random-read-iops", rate=200),
        *READS,
        reports=folder / "reports",
    )
    assert run.status == 0, run.output
    return run


@pytest.fixture
def folder(done: SuiteRun, tmp_path: Path) -> Path:
    """A copy of its folder, as a vendor would send it."""
    return Path(shutil.copytree(done.folder / "latest", tmp_path / "run"))


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "acceptance", *map(str, arguments)],
        cwd=ROOT,
        env=suite_environment(),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_what_a_run_left_is_verified_and_no_change_of_it_stays_hidden(folder: Path) -> None:
    unchanged = command("report", "--verify", folder)
    assert unchanged.returncode == 0, unchanged.stdout + unchanged.stderr
    listed = (folder / "SHA256SUMS").read_text().splitlines()
    assert len(listed) == 4 + len(list((folder / "fio").iterdir())) > 5
    digest = next(line.split()[0] for line in listed if line.endswith("  results.json"))
    assert digest in (folder / "report.html").read_text()
    assert (
        subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder, capture_output=True, check=False).returncode == 0
    )
    raw = next((folder / "fio").iterdir())
    raw.write_text(raw.read_text().replace("1", "2", 1))
    changed = command("report", "--verify", folder)
    assert (changed.returncode, changed.stdout.splitlines()[0]) == (1, f"not as listed: fio/{raw.name}: changed")


def test_a_run_is_rendered_again_without_anything_of_it_but_its_results(folder: Path, tmp_path: Path) -> None:
    results = Path(shutil.copy(folder / "results.json", tmp_path))
    made = command("report", results, "-o", tmp_path / "again.html")
    assert made.returncode == 0, made.stderr
    html = (tmp_path / "again.html").read_text()
    assert "read.iops of random-read-iops on " in html and "meets the limit of at least 1 IOPS" in html


def test_three_runs_side_by_side(folder: Path, tmp_path: Path) -> None:
    others = [shutil.copytree(folder, tmp_path / name) for name in ("second", "third")]
    made = command("report", folder, *others, "-o", tmp_path / "three.html")
    assert made.returncode == 0, made.stderr
    html = (tmp_path / "three.html").read_text()
    assert html.count("within noise") >= 2
    assert all(f"({number})" in html for number in (1, 2, 3))


def test_a_run_compared_with_itself_is_within_noise_beside_its_baseline(done: SuiteRun, tmp_path: Path) -> None:
    latest = done.folder / "latest"
    compared = command("compare", latest, latest, "--all", "-o", tmp_path / "page.html")
    assert compared.returncode == 0, compared.stderr
    found = [line.split() for line in compared.stdout.splitlines() if line.startswith("random-read-iops")]
    assert {tuple(line[-2:]) for line in found} == {("within", "noise")}
    assert f"the ratio to {done.results['settings']['baseline_class']}, measured in alternating" in compared.stdout
    (measured,) = (measurement for measurement in done.results["measurements"] if measurement["role"] == "candidate")
    assert measured["against_baseline"].keys() >= {"read.iops", "read.bandwidth", "read.latency.p99"}
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_a_run_that_was_killed_is_shown_as_incomplete_and_has_nothing_to_verify(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    reports = tmp_path / "reports"
    host = ("--storage-cluster=host", f"--storage-class={disk}")
    with started_suite(*host, "-k", "takes_a_write or sync-write", reports=reports) as process:
        wait_for(
            "a first verdict to be written",
            look=lambda: list(reports.glob("latest/results.json")),
            ready=bool,
            state=lambda seen: f"{len(seen)} files",
            timeout_s=HANGS_S,
        )
        process.send_signal(signal.SIGKILL)
        finish(process, reports=reports)
    killed = reports / "latest"
    verified = command("report", "--verify", killed)
    assert verified.returncode == 4
    assert "the run was killed before that" in verified.stderr
    made = command("report", killed, "-o", tmp_path / "page.html")
    assert made.returncode == 0, made.stderr
    assert "not complete" in (tmp_path / "page.html").read_text()
