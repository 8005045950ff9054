"""pytest-xdist is asked for: one run all the same, one test at a time, each volume measured once."""

import signal
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from selftests.integration.faults import PROFILE, assert_measured_well, steady_load
from selftests.integration.suite import finish, run_suite, started_suite, wait_for_load


@pytest.mark.full
def test_workers_that_are_asked_for_do_not_measure_beside_each_other(clean: Api, reports: Path, tmp_path: Path) -> None:
    run = run_suite(*steady_load(tmp_path), "-n", "2", reports=reports)
    assert_measured_well(run)
    assert "-n 2 starts no workers" in run.output
    folders = sorted(path.name for path in reports.iterdir() if not path.is_symlink())
    assert folders == [run.results["run"]["id"]]


def test_an_interruption_with_workers_leaves_nothing(clean: Api, reports: Path, tmp_path: Path) -> None:
    with started_suite(*steady_load(tmp_path), "-n", "2", reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        process.send_signal(signal.SIGINT)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output
    ended = run.results["run"]
    assert (ended["exit_status"], ended["complete"]) == (2, False)
