"""A volume beside neighbours at full load, on slow disks: starved on one that all share, served on its own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import PODS
from selftests.integration.suite import SuiteRun, own, run_suite
from selftests.lab.disks import nbdkit_disk
from selftests.lab.provisioner import LabClass, lab_classes

# Each write takes so long, and a disk does some at a time: the same few hundred a second on any machine.
DELAY_MS, NEIGHBOURS = 4, 2
# Alone a write takes 4 ms. On a shared disk it waits for the 64 of each neighbour, which takes some 200 ms.
LIMITS = """version: 1
tiers:
  baseline:
    noisy_neighbours:
      random-write-iops:
        write.latency.p99: {at_most: 100ms, growth_at_most: 10 times, of_capacity: 10%, because: others wait}
"""
RULES = ("at_most_beside_neighbours", "growth_beside_neighbours")


def beside(api: Api, *, disks: int, folder: Path, tmp_path: Path, reports: Path) -> SuiteRun:
    """A run on a class with so many such disks, that asks for nothing else."""
    limits = tmp_path / "limits.yaml"
    limits.write_text(LIMITS, encoding="utf-8")
    with ExitStack() as undo:
        first, *more = (
            undo.enter_context(
                nbdkit_disk(
                    folder / f"of-{disks}-{each}", filters=["delay"], parameters=[f"wdelay={DELAY_MS}ms"], size="600M"
                )
            )
            for each in range(disks)
        )
        undo.enter_context(
            lab_classes(api, [LabClass(name=f"lab-busy-{disks}", folder=first, more_folders=tuple(more))])
        )
        return run_suite(
            f"--storage-class=lab-busy-{disks}",
            f"--storage-thresholds={limits}",
            "--storage-volume-size=128Mi",
            f"--storage-noisy-neighbours={NEIGHBOURS}",
            "-m",
            "under_load",
            reports=reports,
            timeout=600,
        )


def verdicts(run: SuiteRun) -> dict[str, dict[str, object]]:
    return {str(each["rule"]): each for each in run.results["verdicts"]}


@pytest.mark.full
@pytest.mark.alone
def test_neighbours_on_the_same_disk_starve_a_volume(
    clean: Api, lab_folder: Path, tmp_path: Path, reports: Path
) -> None:
    """One queue for all: who asks for a tenth waits behind the 64 of each of two others."""
    run = beside(clean, disks=1, folder=lab_folder, tmp_path=tmp_path, reports=reports)
    found = verdicts(run)
    assert (run.status, [found[each]["status"] for each in RULES]) == (1, ["fail", "fail"]), run.output
    assert "beside 2 volumes at full load" in str(found[RULES[0]]["reason"])
    (record,) = run.results["neighbours"]
    (share,) = record["shares"]
    alone, beside_them = (share[each]["latencies"]["write.latency.p99"]["mean"] for each in ("alone", "beside"))
    assert alone < 0.1 < beside_them and beside_them > 10 * alone, share
    assert all(each > 0 for each in share["neighbours"]) and record["count"] == NEIGHBOURS
    assert own(clean, PODS) == []


@pytest.mark.full
@pytest.mark.alone
def test_a_volume_with_a_disk_of_its_own_passes(clean: Api, lab_folder: Path, tmp_path: Path, reports: Path) -> None:
    """As many disks as volumes, each no faster than the one of the test above, and the same limits."""
    run = beside(clean, disks=1 + NEIGHBOURS, folder=lab_folder, tmp_path=tmp_path, reports=reports)
    found = verdicts(run)
    assert (run.status, [found[each]["status"] for each in RULES]) == (0, ["pass", "pass"]), run.output
    assert "; the rate was kept: " in str(found[RULES[0]]["reason"])
    page = (run.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert "alone and beside 2 volumes at full load" in page
    assert own(clean, PODS) == []
