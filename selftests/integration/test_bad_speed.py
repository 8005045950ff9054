"""Storage that is slow, stands still or is too fast to be true fails, each for a reason that its reader can act on."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from selftests.integration.held_loads import held_profiles
from selftests.integration.suite import finish, limits_file, run_suite, started_suite, wait_for_counted_seconds
from selftests.lab.disks import StallingDisk, cached_disk, memory_disk, nbdkit_disk, stalling_disk
from selftests.lab.provisioner import LabClass, lab_classes

LOAD = ("-m", "data_plane", "-k", "sync-write")
STALL_S = 12.0


@pytest.fixture(scope="module", autouse=True)
def lab(api: Api, lab_folder: Path) -> Iterator[StallingDisk]:
    """One class for each way to be too slow or too fast; the disk that can be stopped."""
    delays = {"lab-slow": ["wdelay=4ms"], "lab-far": ["rdelay=4ms"], "lab-disk": ["rdelay=4ms", "wdelay=20ms"]}
    with ExitStack() as undo:
        folders = {
            name: undo.enter_context(
                nbdkit_disk(lab_folder / name, filters=["delay"], parameters=parameters, size="200M")
            )
            for name, parameters in delays.items()
        }
        stalling = undo.enter_context(stalling_disk(lab_folder / "stalling", size="200M", write_delay="2ms"))
        folders["lab-stalls"] = stalling.folder
        folders["lab-cached"] = undo.enter_context(cached_disk(lab_folder / "cached", read_delay="4ms", size="200M"))
        folders["lab-too-good"] = undo.enter_context(memory_disk(lab_folder / "memory", size="512M"))
        undo.enter_context(lab_classes(api, [LabClass(name=name, folder=path) for name, path in folders.items()]))
        yield stalling


def test_slow_storage_fails_the_limit(clean: Api, reports: Path, tmp_path: Path) -> None:
    limits = limits_file(tmp_path, iops=750)
    run = run_suite("--storage-class", "lab-slow", f"--storage-thresholds={limits}", *LOAD, reports=reports)
    assert run.status == 1, run.output
    verdict = run.verdict("meet_the_limit")
    assert verdict["status"] == "fail"
    assert 0 < verdict["measured"] <= verdict["high"] < 750
    assert "at least 750 IOPS (reason for the limit: the test wants it so)" in verdict["reason"]


def test_storage_that_stands_still_is_told_for_how_long(
    lab: StallingDisk, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """The mean over the run may be good enough all the same: the stall has a limit of its own."""
    limits = tmp_path / "limits.yaml"
    limits.write_text(
        "version: 1\ntiers: {baseline: {limits: {sync-write-iops: {"
        "stall.longest: {at_most: 10s, because: leaders step down}, "
        "write.iops: {at_least: 1000000, because: nobody is so fast}}}}}"
    )
    with started_suite("--storage-class", "lab-stalls", f"--storage-thresholds={limits}", *LOAD, reports=reports) as it:
        wait_for_counted_seconds(clean, 4)
        lab.stop()
        try:
            time.sleep(STALL_S)
        finally:
            lab.go_on()
        run = finish(it, reports=reports)
    assert run.status == 1, run.output
    verdict = run.verdict("stall.longest")
    assert verdict["status"] == "fail"
    assert verdict["measured"] > STALL_S * 0.9
    assert "misses the limit of at most 10 s (reason for the limit: leaders step down" in verdict["reason"]
    for each in ("stall.longest", "write.iops"):
        assert "storage stalled for" in run.verdict(each)["reason"]
        assert "in that time nothing was read or written" in run.verdict(each)["reason"]


def test_reads_that_a_cache_answers_fail_the_comparison(clean: Api, reports: Path, tmp_path: Path) -> None:
    """Both classes lie on disks whose every read takes 4 ms. The one that is honest is the baseline."""
    options = ["--storage-class", "lab-cached", "--storage-baseline-class", "lab-far", "-m", "comparison"]
    held = held_profiles(tmp_path, "random-read-latency", rate=1000)
    run = run_suite(*options, held, "-k", "random-read-latency-read.latency.mean", reports=reports)
    assert run.status == 1, run.output
    verdict = run.verdict("random-read-latency")
    assert verdict["status"] == "fail"
    assert "a read over a network cannot be answered sooner than by the local disk" in verdict["reason"]
    assert "unless a cache has answered it" in verdict["reason"]
    assert "the test file of 64 MiB holds" in verdict["reason"]


def test_storage_faster_than_local_fails_the_comparison(clean: Api, reports: Path, tmp_path: Path) -> None:
    """Next to a disk that is slow by itself, of 250 writes a second: the cluster's own may be in memory, too."""
    limits = limits_file(tmp_path, iops=1)
    held = held_profiles(tmp_path, "sync-write-iops", rate=1000)
    options = ["--storage-class", "lab-too-good", "--storage-baseline-class", "lab-slow", held]
    run = run_suite(*options, f"--storage-thresholds={limits}", "-k", "sync-write", reports=reports)
    assert run.status == 1, run.output
    assert run.verdict("class_is_not_faster_than_local")["status"] == "fail"
    assert "not durable when it was acknowledged" in run.verdict("class_is_not_faster_than_local")["reason"]
    assert run.passes(run.verdict("meet_the_limit"))


@pytest.mark.release
@pytest.mark.alone
def test_memory_fails_every_rule_that_kbench_has(clean: Api, reports: Path) -> None:
    """Beside a disk of known speed, with the limits that come with the suite.

    Not beside this machine's own: one that takes as much in sequence as a CPU can copy is no worse than memory there.
    With 16 requests at a time, as nbdkit serves them, this one takes 100 MiB/s at most.
    """
    modes = ["random-write-iops", "sequential-write-bandwidth", "random-write-latency", "random-read-latency"]
    options = ["--storage-class", "lab-too-good", "--storage-baseline-class", "lab-disk"]
    options += ["-m", "comparison", "-k", " or ".join(modes)]
    run = run_suite(*options, reports=reports)
    assert run.status == 1, run.output
    too_good = [
        verdict
        for verdict in run.results["verdicts"]
        if verdict["requirement"]["rule"] == "not_better_than_baseline_by"
    ]
    assert {each["requirement"]["profile"]: each["status"] for each in too_good} == dict.fromkeys(modes, "fail")
    reasons = {each["requirement"]["profile"]: each["reason"] for each in too_good}
    assert all("lost in a power failure" in reasons[mode] for mode in modes if "write" in mode), reasons
    assert "cache" in reasons["random-read-latency"]
    assert "the test file of 64 MiB holds" in reasons["random-read-latency"]


@pytest.mark.full
def test_storage_too_slow_for_a_workload_fails_by_its_name(clean: Api, reports: Path) -> None:
    """A write takes 4 ms there, so that a session makes 250 commits a second at most. The local disk carries it."""
    classes = ("--storage-class", "lab-slow", "--storage-class", "local-path")
    limit = "--storage-limit=postgresql-commit.write.iops>=300"
    run = run_suite(*classes, "--storage-for=postgresql", limit, "-k", "postgresql-commit", reports=reports)
    assert run.status == 1, run.output
    found = {verdict["storage_class"]: verdict for verdict in run.results["verdicts"]}
    assert {name: each["status"] for name, each in found.items()} == {"lab-slow": "fail", "local-path": "pass"}
    assert 0 < found["lab-slow"]["high"] < 300
    assert "derived by this project: each commit waits for one such write" in found["lab-slow"]["reason"]
    assert "for postgresql: lab-slow fails" in run.output
