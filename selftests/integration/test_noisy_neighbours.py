"""A volume beside neighbours at full load, on slow disks: starved on one that all share, served on one of its own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import PODS
from selftests.integration.suite import SuiteRun, own, run_suite
from selftests.lab.disks import nbdkit_disk
from selftests.lab.provisioner import LabClass, lab_classes

# A disk does one write at a time, in 4 ms: some 200 a second, the same on any machine.
FILTERS, PARAMETERS = ("noparallel", "delay"), ("serialize=requests", "wdelay=4ms")
NEIGHBOURS = 3
# Of one disk a volume gets a quarter beside three others, and asks for half: what is owed piles up. With a disk of its
# own it waits for nobody.
LIMITS = """version: 1
tiers:
  baseline:
    noisy_neighbors:
      random-write-iops: {write.latency.p99: {at_most: 300ms, of_capacity: 50%, because: others wait}}
"""


def beside(api: Api, *, disks: int, folder: Path, tmp_path: Path, reports: Path) -> SuiteRun:
    """A run on a class with so many such disks, that asks for nothing else."""
    limits = tmp_path / "limits.yaml"
    limits.write_text(LIMITS, encoding="utf-8")
    name = f"lab-busy-{disks}"
    with ExitStack() as undo:
        first, *more = (
            undo.enter_context(
                nbdkit_disk(folder / f"{name}-{index}", filters=FILTERS, parameters=PARAMETERS, size="700M")
            )
            for index in range(disks)
        )
        undo.enter_context(lab_classes(api, [LabClass(name=name, folder=first, more_folders=tuple(more))]))
        asked = [f"--storage-thresholds={limits}", f"--storage-noisy-neighbours={NEIGHBOURS}", "-m", "under_load"]
        return run_suite(f"--storage-class={name}", *asked, reports=reports)


@pytest.mark.release
@pytest.mark.alone
def test_neighbours_on_the_same_disk_starve_a_volume(
    clean: Api, lab_folder: Path, tmp_path: Path, reports: Path
) -> None:
    run = beside(clean, disks=1, folder=lab_folder, tmp_path=tmp_path, reports=reports)
    verdict = run.verdict("test_volume_keeps_its_share_next_to_noisy_neighbors")
    assert (run.status, verdict["status"]) == (1, "fail"), run.output
    assert "next to 3 volumes at full load" in verdict["reason"] and "CI misses the limit" in verdict["reason"]
    (record,) = run.results["neighbours"]
    (share,) = record["shares"]
    alone, beside_them = (share[each]["latencies"]["write.latency.p99"]["mean"] for each in ("alone", "beside"))
    assert alone < 0.3 < beside_them, share
    assert share["alone"]["reached"]["mean"] > 0.9 > share["beside"]["reached"]["mean"], share
    assert all(neighbour > 0 for neighbour in share["neighbours"]) and len(share["neighbours"]) == NEIGHBOURS
    assert own(clean, PODS) == []


@pytest.mark.release
@pytest.mark.alone
def test_a_volume_with_a_disk_of_its_own_passes(clean: Api, lab_folder: Path, tmp_path: Path, reports: Path) -> None:
    """As many disks as volumes, each no faster than the one of the test above, and the same limits."""
    run = beside(clean, disks=1 + NEIGHBOURS, folder=lab_folder, tmp_path=tmp_path, reports=reports)
    verdict = run.verdict("test_volume_keeps_its_share_next_to_noisy_neighbors")
    assert (run.status, verdict["status"]) == (0, "pass"), run.output
    assert "; the rate was kept: " in verdict["reason"]
    page = (run.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert "alone and next to 3 volumes at full load" in page
    assert own(clean, PODS) == []
