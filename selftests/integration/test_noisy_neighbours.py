"""A volume beside neighbours at full load: where there is enough for all it keeps its share."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import PODS
from acceptance.cluster.waiting import wait_for
from selftests.integration.suite import SuiteRun, finish, own, started_suite
from selftests.integration.test_latency_under_load import PROFILE, rate
from selftests.lab.disks import limited_disk
from selftests.lab.provisioner import LabClass, lab_classes

# A tenth of it is enough operations in a minute for a p99.
CAPACITY = 400
LIMITS = """version: 1
tiers:
  baseline:
    noisy_neighbours:
      random-write-iops:
        write.latency.p99: {%(limits)s, of_capacity: 10%%, because: others wait}
"""


def options(folder: Path, *, limits: str) -> list[str]:
    """Of a run that asks for nothing else."""
    (folder / "limits.yaml").write_text(LIMITS % {"limits": limits}, encoding="utf-8")
    sizes = ["--storage-test-size=64Mi", "--storage-volume-size=128Mi", "--storage-longest=60s"]
    return [
        f"--storage-thresholds={folder / 'limits.yaml'}",
        *sizes,
        "--storage-noisy-neighbours=2",
        "-m",
        "under_load",
    ]


def verdicts(run: SuiteRun) -> dict[str, dict[str, object]]:
    return {str(each["rule"]): each for each in run.results["verdicts"]}


@pytest.mark.full
@pytest.mark.alone
def test_neighbours_on_the_same_disk_starve_a_volume(
    clean: Api, lab_folder: Path, tmp_path: Path, reports: Path
) -> None:
    """One queue for all: whoever asks for 10 operations a second waits behind the 64 of each of two others."""
    asked = options(tmp_path, limits="at_most: 100ms, growth_at_most: 3 times")
    with (
        limited_disk(lab_folder / "shared", size="400M", burst_s=0.05) as disk,
        lab_classes(clean, [LabClass(name="lab-shared", folder=disk.folder)]),
        started_suite("--storage-class=lab-shared", *asked, reports=reports) as process,
    ):
        wait_for(
            f"a pod of {PROFILE}",
            look=lambda: [each for each in own(clean, PODS) if each["metadata"]["name"].startswith(PROFILE)],
            ready=bool,
            state=lambda seen: f"{len(seen)} pods",
            timeout_s=120,
        )
        disk.limit(rate(CAPACITY))
        wait_for(
            "the neighbours' pods",
            look=lambda: [each for each in own(clean, PODS) if each["metadata"]["name"].startswith("neighbours")],
            ready=bool,
            state=lambda seen: f"{len(seen)} pods",
            timeout_s=300,
        )
        disk.limit(rate(20 * CAPACITY))  # their files are written quickly
        wait_for(
            "the load beside them",
            look=lambda: [each for each in own(clean, PODS) if "beside" in each["metadata"]["name"]],
            ready=bool,
            state=lambda seen: f"{len(seen)} pods",
            timeout_s=300,
        )
        disk.limit(rate(CAPACITY))
        run = finish(process, reports=reports, timeout=500)
    found = verdicts(run)
    longest, growth = found["at_most_beside_neighbours"], found["growth_beside_neighbours"]
    statuses = (run.status, longest["status"], growth["status"])
    assert statuses == (1, "fail", "fail"), f"{longest['reason']}\n{growth['reason']}"
    assert "beside 2 volumes at full load" in str(longest["reason"])
    (record,) = run.results["neighbours"]
    (share,) = record["shares"]
    alone, beside = (share[each]["latencies"]["write.latency.p99"]["mean"] for each in ("alone", "beside"))
    assert alone < 0.1 < beside, share
    assert all(each > 0 for each in share["neighbours"]) and record["count"] == 2
    assert own(clean, PODS) == []


@pytest.mark.full
@pytest.mark.alone
def test_a_volume_keeps_its_share_where_there_is_enough_for_all(clean: Api, tmp_path: Path, reports: Path) -> None:
    """The cluster's local class on this machine's disk: limits that any disk keeps, and a rate that is kept, too."""
    asked = options(tmp_path, limits="at_most: 5s, growth_at_most: 10000 times")
    with started_suite("--storage-class=local-path", *asked, reports=reports) as process:
        run = finish(process, reports=reports, timeout=600)
    found = verdicts(run)
    passed = [found[rule]["status"] for rule in ("at_most_beside_neighbours", "growth_beside_neighbours")]
    assert (run.status, passed) == (0, ["pass", "pass"]), [each["reason"] for each in found.values()]
    assert "the rate was kept" in str(found["at_most_beside_neighbours"]["reason"])
    page = (run.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert "alone and beside 2 volumes at full load" in page
    assert own(clean, PODS) == []
