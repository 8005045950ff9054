"""Latency at a share of the capacity, on disks of this host: one keeps it, one wavers, one slows down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import PODS
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration.suite import SuiteRun, finish, own, started_suite
from selftests.integration.test_host import HOST, wait_for_load
from selftests.lab.disks import LimitedDisk, limited_disk
from selftests.lab.provisioner import LabClass, lab_classes

PROFILE = "random-write-iops"
BLOCK_BITS = 4096 * 8
# Operations a second, slow enough for any machine. The wavering disk does as many on average, and in each batch of 4 s.
CAPACITY, SLOW, FAST, EACH_S = 100, 55, 145, 2
LIMITS = """version: 1
tiers:
  baseline:
    latency_under_load:
      random-write-iops:
        write.latency.p99: {at_most: %(limit)s, of_capacity: 80%%, because: flushes wait}
"""


def rate(iops: int) -> str:
    """As nbdkit's filter takes it."""
    return str(iops * BLOCK_BITS)


@contextmanager
def wavering(disk: LimitedDisk) -> Iterator[None]:
    """Storage shared with somebody who wants half of it for 2 s in every 4: more than half is left at any time."""
    over = Event()

    def waver() -> None:
        slow = True
        while not over.is_set():
            disk.limit(rate(SLOW if slow else FAST))
            slow = not slow
            over.wait(EACH_S)

    thread = Thread(target=waver)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def options(folder: Path, *, limit: str) -> list[str]:
    """Of a run that asks for nothing else."""
    (folder / "limits.yaml").write_text(LIMITS % {"limit": limit}, encoding="utf-8")
    sizes = ["--storage-test-size=64Mi", "--storage-longest=60s"]
    limits = f"--storage-thresholds={folder / 'limits.yaml'}"
    return [limits, *sizes, "--storage-latency-under-load", "-m", "under_load"]


def loaded(folder: Path, *, limit: str, reports: Path, wavers: bool = False, later: int | None = None) -> SuiteRun:
    """A run on a disk that does `CAPACITY`; `later`: once that has been measured, so much."""
    with (
        limited_disk(folder / "limited", size="200M", burst_s=0.05) as disk,
        started_suite(
            *HOST, f"--storage-class={disk.folder}", *options(folder, limit=limit), reports=reports
        ) as process,
    ):
        wait_for_load(disk.folder, profile=PROFILE)
        disk.limit(rate(CAPACITY))
        with wavering(disk) if wavers else nullcontext():
            if later is not None:
                wait_for_load(disk.folder, profile=f"{PROFILE}.limited")
                disk.limit(rate(later))
            return finish(process, reports=reports)


@pytest.mark.release
@pytest.mark.alone
def test_a_disk_that_is_quick_at_its_rate_passes(tmp_path: Path, reports: Path) -> None:
    run = loaded(tmp_path, limit="2s", reports=reports)
    verdict = run.verdict("test_latency_holds")
    assert (run.status, verdict["status"]) == (0, "pass"), verdict["reason"]
    assert "at 80 % of its capacity" in verdict["reason"] and "; the rate was kept: " in verdict["reason"]
    (record,) = run.results["under_load"]
    assert record["capacity"]["mean"] == pytest.approx(CAPACITY, rel=0.15)
    assert [share["share"] for share in record["shares"]] == [0.1, 0.5, 0.8, 0.9]
    page = (run.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert "Latency under load" in page and "latency by the share of the capacity" in page


@pytest.mark.release
@pytest.mark.alone
def test_a_disk_that_is_slow_only_while_it_is_busy_fails(tmp_path: Path, reports: Path) -> None:
    """At half of what it can do nothing waits; at 80 % it falls behind for 2 s, and catches up in the next 2."""
    run = loaded(tmp_path, limit="300ms", reports=reports, wavers=True)
    verdict = run.verdict("test_latency_holds")
    assert (run.status, verdict["status"]) == (1, "fail"), verdict["reason"]
    assert "the whole CI misses the limit of at most 300 ms (reason for the limit: flushes wait" in verdict["reason"]
    assert "the rate was not kept" not in verdict["reason"]
    (record,) = run.results["under_load"]
    p99 = {share["share"]: share["latencies"]["write.latency.p99"]["mean"] for share in record["shares"]}
    assert p99[0.5] < 0.3 < p99[0.8], p99


@pytest.mark.release
@pytest.mark.alone
def test_a_disk_that_becomes_slower_does_not_keep_its_rate(tmp_path: Path, reports: Path) -> None:
    """A third of what it did: whatever the limit on its latency, it cannot do 80 %."""
    run = loaded(tmp_path, limit="60s", reports=reports, later=CAPACITY // 3)
    verdict = run.verdict("test_latency_holds")
    assert (run.status, verdict["status"]) == (1, "fail"), verdict["reason"]
    assert "the whole CI meets the limit of at most 60 s; the rate was not kept: " in verdict["reason"]


@pytest.mark.release
@pytest.mark.alone
def test_pods_of_a_cluster_load_the_same_way(clean: Api, lab_folder: Path, tmp_path: Path, reports: Path) -> None:
    with (
        limited_disk(lab_folder / "paced", size="200M", burst_s=0.05) as disk,
        lab_classes(clean, [LabClass(name="lab-paced", folder=disk.folder)]),
        started_suite("--storage-class=lab-paced", *options(tmp_path, limit="3s"), reports=reports) as process,
    ):
        wait_for(
            f"a pod of {PROFILE}",
            look=lambda: [each for each in own(clean, PODS) if each["metadata"]["name"].startswith(PROFILE)],
            ready=bool,
            state=lambda seen: f"{len(seen)} pods",
            timeout_s=HANGS_S,
        )
        disk.limit(rate(CAPACITY))  # before the pod has started
        run = finish(process, reports=reports)
    verdict = run.verdict("test_latency_holds")
    assert (run.status, verdict["status"]) == (0, "pass"), verdict["reason"]
    names = {path.name for path in (run.folder / "latest" / "fio").iterdir()}
    shares = ("capacity", *(f"at-{each}-percent" for each in (10, 50, 80, 90)))
    assert {f"{PROFILE}-lab-paced-{share}.json" for share in shares} <= names
