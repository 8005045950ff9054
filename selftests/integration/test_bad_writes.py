"""Storage that refuses, loses or has no room for what is written fails, and gives no number."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from selftests.integration.suite import finish, limits_file, run_suite, started_suite, wait_for_counted_seconds
from selftests.lab.csi_classes import class_of, faulty_classes
from selftests.lab.disks import memory_disk, nbdkit_disk, thin_disk
from selftests.lab.provisioner import LabClass, lab_classes

LOAD = ("-m", "data_plane", "-k", "sync-write")
FORGETS = "data-lost-at-unpublish"


@pytest.fixture(scope="module", autouse=True)
def lab(api: Api, lab_folder: Path) -> Iterator[Path]:
    """One class for each way to fail a write; the file that turns `failing` storage bad."""
    switch = lab_folder / "fail-now"
    with ExitStack() as undo:
        failing = undo.enter_context(
            nbdkit_disk(
                lab_folder / "failing",
                filters=["error"],
                parameters=["error-pwrite-rate=100%", f"error-file={switch}"],
                size="200M",
            )
        )
        small = undo.enter_context(memory_disk(lab_folder / "small", size="32M"))
        thin = undo.enter_context(thin_disk(lab_folder / "thin", promised="400M", has="48M"))
        classes = [
            LabClass(name="lab-failing", folder=failing),
            LabClass(name="lab-small", folder=small),
            LabClass(name="lab-thin", folder=thin),
        ]
        undo.enter_context(lab_classes(api, classes))
        yield switch


@pytest.fixture
def limits(tmp_path: Path) -> str:
    """The option for limits that any storage meets."""
    return f"--storage-thresholds={limits_file(tmp_path, iops=1)}"


@pytest.mark.parametrize("test", ["same_node", "another_node"])
def test_forgotten_data_is_missed(test: str, clean: Api, reports: Path) -> None:
    """Between two pods: on a class that forgets by the clock, a slow disk would lose it before it was read back."""
    with faulty_classes(clean, [FORGETS]):
        options = ("--storage-class", class_of(FORGETS), "-k", f"test_data_survives and {test}")
        run = run_suite(*options, reports=reports)
    assert run.status == 1, run.output
    assert run.verdict(test)["status"] == "fail"
    assert "could not read" in run.verdict(test)["reason"]


def test_error_in_mid_run_is_no_number(clean: Api, reports: Path, lab: Path, tmp_path: Path) -> None:
    """Writes begin to fail while fio writes, which is for 40 s at least: a limit on stalls is not passed sooner.

    Before fio has opened its file, a file system that fails to write of its own accord would be read-only to it.
    """
    limits = f"--storage-thresholds={tmp_path / 'limits.yaml'}"
    (tmp_path / "limits.yaml").write_text(
        "version: 1\ntiers: {baseline: {limits: {sync-write-iops: "
        "{stall.longest: {at_most: 10s, because: the test wants it so}}}}}"
    )
    lab.unlink(missing_ok=True)
    with started_suite("--storage-class", "lab-failing", limits, *LOAD, reports=reports) as process:
        wait_for_counted_seconds(clean, 1)
        lab.touch()
        run = finish(process, reports=reports)
    lab.unlink()
    assert run.status == 1, run.output
    verdict = run.verdict("meet_the_limit")
    assert verdict["status"] == "fail"
    assert verdict["measured"] is None
    assert "sync-write-iops-lab-failing on StorageClass lab-failing failed" in verdict["reason"]
    assert "Input/output error" in verdict["reason"]


def test_volume_without_space_is_told_before_load(clean: Api, reports: Path, limits: str) -> None:
    run = run_suite("--storage-class", "lab-small", limits, *LOAD, reports=reports)
    assert run.status == 1, run.output
    assert "too little space for test files" in run.verdict("meet_the_limit")["reason"]


def test_volume_with_less_space_than_it_shows_is_full_while_it_is_written(
    clean: Api, reports: Path, limits: str
) -> None:
    """An overbooked pool: the file system has room, the disk below it has not."""
    run = run_suite("--storage-class", "lab-thin", limits, *LOAD, reports=reports)
    assert run.status == 1, run.output
    reason = run.verdict("meet_the_limit")["reason"]
    assert "the volume of PVC load-lab-thin" in reason
    assert "cannot be written in full" in reason
    assert "No space left on device" in reason
