"""Bad storage fails: for each acceptance test a class of the lab that it catches, for the right reason."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import VOLUMES
from selftests.integration.suite import finish, left_behind, limits_file, run_suite, started_suite, wait_for_load
from selftests.lab.disks import memory_disk, nbdkit_disk
from selftests.lab.provisioner import LabClass, lab_classes

LOAD = ("-m", "data_plane", "-k", "sync-write")


@pytest.fixture(scope="module", autouse=True)
def lab(api: Api, lab_folder: Path) -> Iterator[Path]:
    """One class for each way to misbehave; the file that turns `failing` storage bad."""
    switch = lab_folder / "fail-now"
    with ExitStack() as undo:
        memory = undo.enter_context(memory_disk(lab_folder / "memory", size="512M"))
        slow = undo.enter_context(
            nbdkit_disk(lab_folder / "slow", filters=["delay"], parameters=["wdelay=4ms"], size="200M")
        )
        failing = undo.enter_context(
            nbdkit_disk(
                lab_folder / "failing",
                filters=["error"],
                parameters=["error-pwrite-rate=100%", f"error-file={switch}"],
                size="200M",
            )
        )
        small = undo.enter_context(memory_disk(lab_folder / "small", size="32M"))
        plain = lab_folder / "plain"
        plain.mkdir(mode=0o777)
        classes = [
            LabClass(name="lab-too-good", folder=memory),
            LabClass(name="lab-slow", folder=slow),
            LabClass(name="lab-failing", folder=failing),
            LabClass(name="lab-small", folder=small),
            LabClass(name="lab-forgets", folder=plain, forgets=True),
            LabClass(name="lab-keeps", folder=plain, never_deletes=True),
            LabClass(name="lab-retains", folder=plain, reclaim_policy="Retain"),
            LabClass(name="lab-never", folder=None),
        ]
        undo.enter_context(lab_classes(api, classes))
        yield switch


def test_slow_storage_fails_the_limit(clean: Api, reports: Path, tmp_path: Path) -> None:
    limits = limits_file(tmp_path, iops=750)
    run = run_suite("--storage-class", "lab-slow", f"--storage-thresholds={limits}", *LOAD, reports=reports)
    assert run.status == 1, run.output
    verdict = run.verdict("meet_the_limit")
    assert verdict["status"] == "fail"
    assert 0 < verdict["measured"] <= verdict["high"] < 750
    assert "at least 750 IOPS: the test wants it so" in verdict["reason"]


def test_storage_faster_than_local_fails_the_comparison(clean: Api, reports: Path, tmp_path: Path) -> None:
    limits = limits_file(tmp_path, iops=1)
    options = ["--storage-class", "lab-too-good", "--storage-baseline-class", "local-path"]
    run = run_suite(*options, f"--storage-thresholds={limits}", "-k", "sync-write", reports=reports)
    assert run.status == 1, run.output
    assert run.verdict("not_better_than_local")["status"] == "fail"
    assert "not durable when it was acknowledged" in run.verdict("not_better_than_local")["reason"]
    assert run.verdict("meet_the_limit")["status"] == "pass"


def test_memory_fails_every_rule_that_kbench_has(clean: Api, reports: Path) -> None:
    """Beside a local disk, with the limits that come with the suite."""
    modes = ["random-write-iops", "sequential-write-bandwidth", "random-write-latency", "random-read-latency"]
    options = ["--storage-class", "lab-too-good", "--storage-baseline-class", "local-path"]
    run = run_suite(*options, "-m", "comparison", "-k", " or ".join(modes), reports=reports)
    assert run.status == 1, run.output
    too_good = [each for each in run.results["verdicts"] if each["rule"] == "not_better_than_baseline_by"]
    assert {each["profile"]: each["status"] for each in too_good} == dict.fromkeys(modes, "fail")
    reasons = {each["profile"]: each["reason"] for each in too_good}
    assert all("durable" in reasons[mode] for mode in modes if "write" in mode), reasons
    assert "cache" in reasons["random-read-latency"]
    assert "the test file of 64 MiB holds only" in reasons["random-read-latency"]


@pytest.mark.parametrize("test", ["same_node", "another_node"])
def test_forgotten_data_is_missed(test: str, clean: Api, reports: Path) -> None:
    run = run_suite("--storage-class", "lab-forgets", "-k", test, reports=reports)
    assert run.status == 1, run.output
    assert run.verdict(test)["status"] == "fail"
    assert "could not read" in run.verdict(test)["reason"]


def test_claim_that_never_binds_is_told_with_its_events(clean: Api, reports: Path) -> None:
    run = run_suite("--storage-class", "lab-never", "--storage-timeout", "8s", "-k", "takes_a_write", reports=reports)
    assert run.status == 1, run.output
    reason = run.verdict("takes_a_write")["reason"]
    assert "phase Pending" in reason
    assert "Waiting for a volume to be created" in reason


def test_baseline_that_fails_says_nothing_of_the_candidate(clean: Api, reports: Path) -> None:
    options = ["--storage-class", "local-path", "--storage-baseline-class", "lab-never", "--storage-timeout", "8s"]
    run = run_suite(*options, *LOAD, reports=reports)
    assert run.status == 10, run.output
    assert run.results["verdicts"] == []
    assert "the baseline class lab-never failed, so that there is nothing to compare with" in run.output


def test_volume_that_stays_is_a_fail_and_a_leak(api: Api, reports: Path) -> None:
    run = run_suite("--storage-class", "lab-keeps", "--storage-timeout", "8s", "-k", "gone_after", reports=reports)
    assert run.status == 1, run.output
    assert run.verdict("gone_after")["status"] == "fail"
    assert "phase Released" in run.verdict("gone_after")["reason"]
    leak = "\n".join(run.results["errors"])
    stayed = left_behind(api)
    for volume in stayed:
        api.delete(VOLUMES, volume)
    assert "left behind" in leak
    assert len(stayed) == 1 and stayed[0] in leak


def test_retained_volume_passes_and_is_removed_all_the_same(clean: Api, reports: Path) -> None:
    run = run_suite("--storage-class", "lab-retains", "-k", "gone_after", reports=reports)
    assert run.status == 0, run.output
    assert run.verdict("gone_after")["status"] == "pass"


def test_error_in_mid_run_is_no_number(clean: Api, reports: Path, lab: Path) -> None:
    """Writes begin to fail while fio runs."""
    lab.unlink(missing_ok=True)
    with started_suite("--storage-class", "lab-failing", *LOAD, reports=reports) as process:
        wait_for_load(clean)
        lab.touch()
        run = finish(process, reports=reports)
    lab.unlink()
    assert run.status == 1, run.output
    verdict = run.verdict("meet_the_limit")
    assert verdict["status"] == "fail"
    assert verdict["measured"] is None
    assert "Input/output error" in verdict["reason"]


def test_volume_without_space_is_told_before_load(clean: Api, reports: Path) -> None:
    run = run_suite("--storage-class", "lab-small", *LOAD, reports=reports)
    assert run.status == 1, run.output
    reason = run.verdict("meet_the_limit")["reason"]
    assert "too little space for test files" in reason
