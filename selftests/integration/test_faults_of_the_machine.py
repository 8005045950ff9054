"""What happens where the suite itself runs: a full disk, a clock that is set, another run of the suite."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from embedded_cluster import EmbeddedCluster
from selftests.integration.faults import PROFILE, assert_measured_well, steady_load
from selftests.integration.suite import finish, run_suite, started_suite, wait_for_load
from selftests.integration.test_interruption import cleanup
from selftests.lab.clock import WrongClock
from selftests.lab.disks import memory_disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with memory_disk(tmp_path / "small-disk", size="8M") as folder:
        yield folder


def fill(disk: Path) -> None:
    with (disk / "others").open("wb", buffering=0) as others, pytest.raises(OSError, match="No space left"):
        while True:
            others.write(b"x" * 4096)


def test_a_report_that_cannot_be_begun_keeps_the_run_from_beginning(
    clean: Api, small_disk: Path, tmp_path: Path
) -> None:
    fill(small_disk)
    options = steady_load(tmp_path)
    for reports, said in ((small_disk, "No space left on device"), (Path("/proc/reports"), "cannot be created")):
        run = run_suite(*options, reports=reports)
        assert run.status == 10, run.output
        assert said in run.output and "INTERNAL" not in run.output and "1 passed" not in run.output


def test_a_full_disk_of_the_report_ends_the_run_and_hides_no_verdict(
    clean: Api, small_disk: Path, tmp_path: Path
) -> None:
    """What was written before is whole; the verdict that came after is on the terminal."""
    *options, _marker, _speed, _by_name, profile = steady_load(tmp_path)
    with started_suite(*options, "-k", f"takes_a_write or {profile}", reports=small_disk) as process:
        wait_for_load(clean, profile=PROFILE)
        fill(small_disk)
        run = finish(process, reports=small_disk)
    assert run.status == 10, run.output
    # The load is in no results: whether the machine slowed it down, which leaves it undecided, is not known.
    assert re.search(r"^(?:PASS|INCONCLUSIVE) +read\.iops of \S+ on local-path is ", run.output, re.MULTILINE)
    assert run.output.count("the report is not complete") == 1
    assert "No space left on device" in run.output and "Traceback" not in run.output and "INTERNAL" not in run.output
    assert not run.results["run"]["complete"] and len(run.results["verdicts"]) == 1
    assert "</html>" in (small_disk / "latest" / "report.html").read_text()


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WrongClock:
    """A clock that is wrong for the processes that the test starts from now on."""
    made = WrongClock(tmp_path / "wrong-clock")
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


def test_a_clock_that_is_set_in_mid_measurement_changes_nothing(
    cluster: EmbeddedCluster, clean: Api, clock: WrongClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is behind at first, so that the lease seems long out of date, and then ahead; who cleans up has another.

    A second measurement keeps the run alive however long those take who look at it.
    """
    reports = tmp_path / "reports"
    clock.set(minutes=-45)
    with started_suite(*steady_load(tmp_path, times=2), reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        clock.set(minutes=60)
        seen_ahead = cleanup(cluster, "--list")
        for name in clock.environment:
            monkeypatch.delenv(name)
        seen_rightly = cleanup(cluster, "--list")
        run = finish(process, reports=reports)
    for seen in (seen_ahead, seen_rightly):
        assert f"run {run.results['run']['id']} (alive):" in seen.stdout
    assert_measured_well(run, times=2)
    times = run.results["run"]
    began, ended = (datetime.fromisoformat(times[each]) for each in ("started", "finished"))
    assert datetime.now(UTC) - began > timedelta(minutes=40), "the clock was not wrong"
    assert timedelta(0) < ended - began < timedelta(minutes=10)


@pytest.mark.disrupts  # by what it says: no third run may be there
def test_two_runs_at_once_do_not_interfere_and_are_each_warned(clean: Api, tmp_path: Path) -> None:
    folders = [tmp_path / each for each in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    with started_suite(*steady_load(folders[0], times=2), reports=folders[0]) as first:
        where = wait_for_load(clean, profile=PROFILE)["spec"]["nodeName"]
        here = f"--storage-node={where}"
        with started_suite(*steady_load(folders[1], times=2), here, reports=folders[1]) as second:
            runs = [finish(process, reports=each) for process, each in zip((first, second), folders, strict=True)]
    ids = [run.results["run"]["id"] for run in runs]
    for run, other in zip(runs, reversed(ids), strict=True):
        assert_measured_well(run, times=2)
        # On a busy machine there may be others: that a measurement was disturbed.
        (warning,) = [each for each in run.results["warnings"] if "another run of this suite" in each]
        assert f"another run of this suite, {other}, was on this cluster at the same time" in warning
        assert where in warning
        assert f"warning: another run of this suite, {other}" in run.output and f"WARNING      {warning}" in run.output
        assert f"another run of this suite, {other}" in (run.folder / "latest" / "report.html").read_text()
