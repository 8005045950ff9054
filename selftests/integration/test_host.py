"""Without a cluster: directories of this host, loaded by its own fio, judged like any class."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from acceptance.cluster.waiting import wait_for
from acceptance.loads.profile_folder import find_profiles
from selftests.bounds import HANGS_S
from selftests.integration.suite import ROOT, finish, limits_file, run_suite, started_suite
from selftests.lab.disks import limited_disk, memory_disk

HOST = ("--storage-cluster", "host")
SYNC_WRITE = ("-k", "sync-write")
# A load that is to be broken into must not be decided before a busy machine does so.
LONG = (*SYNC_WRITE, "--storage-load-time=36s")


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A directory with somebody's data on this host's disk."""
    folder = tmp_path / "a disk"
    folder.mkdir()
    (folder / "precious").write_text("data")
    return folder


def fios(directory: Path, *, profile: str = "sync-write-iops") -> list[psutil.Process]:
    """The fio processes that load a file below the directory with the profile."""
    there_are = psutil.process_iter(["cmdline", "environ"])
    return [
        each
        for each in there_are
        if f"{profile}.fio" in (each.info["cmdline"] or [])
        and Path((each.info["environ"] or {}).get("FILE", "/")).is_relative_to(directory)
    ]


def wait_for_load(directory: Path, *, profile: str = "sync-write-iops") -> list[psutil.Process]:
    return wait_for(
        f"fio to load {directory} with {profile}",
        look=lambda: fios(directory, profile=profile),
        ready=lambda seen: len(seen) > 1,  # fio and its job
        state=lambda seen: f"{len(seen)} processes",
        timeout_s=HANGS_S,
    )


def test_a_directory_is_judged_like_a_class_and_left_as_it_was(disk: Path, tmp_path: Path, reports: Path) -> None:
    limits = f"--storage-thresholds={limits_file(tmp_path, iops=1)}"
    run = run_suite(*HOST, f"--storage-class={disk}", limits, "-k", "sync-write or takes_a_write", reports=reports)
    run.require_passed(verdicts=1)
    skipped = run.verdict("takes_a_write")
    assert (skipped["status"], skipped["storage_class"]) == ("skipped", str(disk))
    assert skipped["reason"].startswith("needs a cluster; with --storage-cluster=host")
    assert run.results["cluster"]["kind"] == "host"
    assert [storage_class["name"] for storage_class in run.results["cluster"]["storage_classes"]] == [str(disk)]
    assert len(list((run.folder / "latest" / "fio").iterdir())) == 2
    assert os.listdir(disk) == ["precious"]


def test_every_shipped_profile_is_measured(disk: Path, tmp_path: Path, reports: Path) -> None:
    """All profiles share one campaign of visits, of both programs."""
    limits = f"--storage-thresholds={limits_file(tmp_path, iops=1)}"
    short = ("--storage-load=unjudged=4s", "--storage-test-size=64Mi", "-k", "not etcd-fsync-busy")
    run = run_suite(*HOST, f"--storage-class={disk}", limits, *short, "-m", "data_plane", reports=reports)
    shipped = set(find_profiles(ROOT / "profiles")) - {"etcd-fsync-busy"}
    assert {measurement["profile"] for measurement in run.results["measurements"]} == shipped, run.output
    assert run.results["errors"] == [] and os.listdir(disk) == ["precious"]


@pytest.mark.full
def test_memory_is_not_a_disk(disk: Path, tmp_path: Path, reports: Path) -> None:
    """What is acknowledged faster than by the disk of the same machine was most likely not durable."""
    limits = f"--storage-thresholds={limits_file(tmp_path, iops=1)}"
    with memory_disk(tmp_path / "memory", size="128M") as memory:
        classes = (f"--storage-class={memory}", f"--storage-baseline-class={disk}")
        run = run_suite(*HOST, *classes, limits, *SYNC_WRITE, "-m", "comparison", reports=reports)
        assert os.listdir(memory) == []
    assert run.status == 1, run.output
    verdict = run.verdict("class_is_not_faster_than_local")
    assert verdict["status"] == "fail"
    assert "it was not durable when it was acknowledged" in verdict["reason"]
    assert str(disk) in verdict["reason"]
    assert os.listdir(disk) == ["precious"]


@pytest.mark.full
def test_a_faster_disk_is_shown_beside_a_slower_one_and_not_called_too_good(
    disk: Path, tmp_path: Path, reports: Path
) -> None:
    """The same two as above, and nobody claims that the one lies on the other."""
    limits = f"--storage-thresholds={limits_file(tmp_path, iops=1)}"
    with memory_disk(tmp_path / "memory", size="128M") as memory:
        classes = (f"--storage-class={memory}", f"--storage-compare-with={disk}")
        run = run_suite(*HOST, *classes, limits, *SYNC_WRITE, "-m", "comparison or data_plane", reports=reports)
    assert run.status == 0, run.output
    comparison = run.verdict("class_is_not_faster_than_local")
    assert (comparison["status"], comparison["reason"]) == (
        "skipped",
        f"{disk} is only shown next to the class (--storage-compare-with)",
    )
    (shown,) = [measurement for measurement in run.results["measurements"] if measurement["role"] == "candidate"]
    assert shown["against_baseline"]["write.iops"]["low"] > 1
    assert os.listdir(disk) == ["precious"]


def test_etcds_log_waits_for_others_on_a_disk_that_is_just_fast_enough_for_it(tmp_path: Path, reports: Path) -> None:
    """130 operations a second are enough for etcd alone, and fewer than the others of etcd-fsync-busy ask for."""
    limits = tmp_path / "limits.yaml"
    limits.write_text(
        "version: 1\ntiers: {baseline: {limits: {"
        "etcd-fsync: {sync.latency.mean: {at_most: 80ms, because: leaders change}}, "
        "etcd-fsync-busy: {sync.latency.mean: {at_most: 10ms, because: leaders change}}}}}"
    )
    with (
        limited_disk(tmp_path / "limited", size="200M", burst_s=0.05) as disk,
        started_suite(
            *HOST,
            f"--storage-class={disk.folder}",
            f"--storage-thresholds={limits}",
            "-m",
            "data_plane",
            "-k",
            "etcd-fsync",
            "--storage-load=longest=60s",
            reports=reports,
        ) as process,
    ):
        wait_for_load(disk.folder, profile="etcd-fsync")  # its file has been written
        disk.limit(str(130 * 4096 * 8))
        run = finish(process, reports=reports)
    assert run.status == 1, run.output
    found = {verdict["requirement"]["profile"]: verdict for verdict in run.results["verdicts"]}
    alone, busy = found["etcd-fsync"], found["etcd-fsync-busy"]
    # Where others slow this machine for seconds, one cannot tell whether etcd alone keeps its limit.
    assert (alone["status"] != "fail", busy["status"]) == (True, "fail"), f"{alone['reason']}\n{busy['reason']}"
    assert alone["measured"] < busy["measured"]
    assert "misses the limit of at most 10 ms (reason for the limit: leaders change" in busy["reason"]


def test_wrong_input_is_told_at_once(disk: Path, tmp_path: Path, reports: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(disk)
    classes = (f"--storage-class={disk}", "--storage-class=fast", f"--storage-baseline-class={tmp_path / 'gone'}")
    run = run_suite(*HOST, *classes, "--storage-node=node-1", "--storage-image=fio", reports=reports)
    assert run.status == 4
    for problem in (
        "--storage-class: expected a directory of this host (--storage-cluster host), found 'fast'",
        f"--storage-baseline-class: expected a directory of this host (--storage-cluster host), found '{tmp_path}",
        "found --storage-node, --storage-image as well",
    ):
        assert problem in run.output
    same = run_suite(*HOST, f"--storage-class={disk}", f"--storage-baseline-class={link}", reports=reports)
    assert same.status == 4
    assert f"directories {disk} and {link} are the same:" in same.output
    assert os.listdir(disk) == ["precious"]


def test_without_fio_the_environment_failed(disk: Path, tmp_path: Path, reports: Path) -> None:
    run = run_suite(*HOST, f"--storage-class={disk}", reports=reports, environment={"PATH": str(tmp_path)})
    assert run.status == 10, run.output
    assert "apt-get install fio" in run.output
    assert run.results["verdicts"] == []


def test_a_directory_with_too_little_space_fails(tmp_path: Path, reports: Path) -> None:
    with memory_disk(tmp_path / "memory", size="32M") as memory:
        run = run_suite(*HOST, f"--storage-class={memory}", *SYNC_WRITE, "-m", "data_plane", reports=reports)
        assert os.listdir(memory) == []
    assert run.status == 1, run.output
    assert (
        f"{memory} has too little space for test files of"
        in run.verdict("sync-write-iops-write.iops-at_least")["reason"]
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.full)])
def test_a_signal_in_mid_measurement_leaves_nothing(number: signal.Signals, disk: Path, reports: Path) -> None:
    with started_suite(*HOST, f"--storage-class={disk}", *LONG, reports=reports) as process:
        wait_for_load(disk)
        process.send_signal(number)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output
    ended = run.results["run"]
    assert (ended["exit_status"], ended["complete"], run.results["errors"]) == (2, False, [])
    assert fios(disk) == []
    assert os.listdir(disk) == ["precious"]


def test_what_cannot_be_removed_is_an_error_of_the_run(disk: Path, reports: Path) -> None:
    with started_suite(*HOST, f"--storage-class={disk}", *LONG, reports=reports) as process:
        wait_for_load(disk)
        (folder,) = disk.glob("storage-acceptance-*")
        with memory_disk(folder / "held", size="1M"):
            process.send_signal(signal.SIGTERM)
            run = finish(process, reports=reports)
    assert run.status == 2, run.output
    (error,) = run.results["errors"]
    assert error.startswith(f"{folder} cannot be removed: ")
    assert f"remove it later with `rm -r '{folder}'`" in run.output
    subprocess.run(["rm", "-r", folder], check=True)


def test_a_killed_run_ends_its_load_by_itself(disk: Path, reports: Path) -> None:
    """Its fio ends when nobody reads it any more; what it was loading ends with its time."""
    with started_suite(*HOST, f"--storage-class={disk}", *SYNC_WRITE, reports=reports) as process:
        seen = wait_for_load(disk)
        process.kill()
        gone, _ = psutil.wait_procs(seen, timeout=HANGS_S)
    assert len(gone) == len(seen)
    assert fios(disk) == []
    assert len(list(disk.glob("storage-acceptance-*"))) == 1
