"""A class that is sold with a number of operations a second: it does them, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration.suite import SuiteRun, finish, started_suite
from selftests.integration.test_host import HOST, fios, wait_for_load
from selftests.lab.disks import limited_disk

pytestmark = [pytest.mark.release, pytest.mark.alone]
PROFILE = "random-write-latency"
SOLD = 130


@pytest.mark.parametrize(("does", "statuses"), [(SOLD, ["pass", "pass"]), (3 * SOLD, ["pass", "fail"])])
def test_a_class_does_what_it_is_sold_with_and_no_more(
    does: int, statuses: list[str], tmp_path: Path, reports: Path
) -> None:
    """One that is not held to its limit takes from the others on the same disks what they are sold with."""
    run = limited(does, tmp_path=tmp_path, reports=reports)
    asked = ((verdict["requirement"], verdict) for verdict in run.results["verdicts"])
    found = [each for of, each in asked if (of["profile"], of["metric"]) == (PROFILE, "write.iops")]
    assert [each["status"] for each in found] == statuses, run.output
    assert run.status == (1 if "fail" in statuses else 0), run.output


def limited(does: int, *, tmp_path: Path, reports: Path) -> SuiteRun:
    """A run on a disk that does so many operations a second, and was written to at full speed before."""
    metric = f"{PROFILE}.write.iops"
    limits = [f"--storage-limit={metric}{bound}" for bound in (f">={0.85 * SOLD:.0f}", f"<={1.15 * SOLD:.0f}")]
    with (
        limited_disk(tmp_path / "limited", size="200M", burst_s=0.05) as disk,
        started_suite(
            *HOST, f"--storage-class={disk.folder}", *limits, "-m", "data_plane", "-k", PROFILE, reports=reports
        ) as process,
    ):
        wait_for_load(disk.folder, profile=PROFILE)
        disk.limit(str(does * 4096 * 8))
        wait_for(
            "the load to be over",
            look=lambda: fios(disk.folder, profile=PROFILE),
            ready=lambda seen: not seen,
            state=lambda seen: f"{len(seen)} processes",
            timeout_s=HANGS_S,
        )
        disk.limit("400M")  # what is left is removed quickly
        return finish(process, reports=reports)
