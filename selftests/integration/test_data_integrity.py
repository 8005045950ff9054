"""What was written is read, through the suite's own command line: on good storage, on a disk whose bits rot, and on one
that loses writes while a replica is rebuilt."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import PODS
from selftests.integration.suite import SuiteRun, finish, own, run_suite, started_suite
from selftests.lab.disks import LyingDisk, lying_disk
from selftests.lab.provisioner import LabClass, lab_classes

pytestmark = pytest.mark.disrupts

INTEGRITY = ("tests/test_data_integrity.py",)
CLASS = ("--storage-class", "lab-lies")


@pytest.fixture(scope="module")
def disk(api: Api, lab_folder: Path) -> Iterator[LyingDisk]:
    """What the volumes of class lab-lies are on."""
    with (
        lying_disk(lab_folder / "lying", size=200 * 1024**2) as lying,
        lab_classes(api, [LabClass(name="lab-lies", folder=lying.folder)]),
    ):
        yield lying


@pytest.fixture
def honest(disk: LyingDisk) -> Iterator[LyingDisk]:
    """The disk, that does not lie yet; afterwards it does no more."""
    yield disk
    for switch in (disk.rots, disk.loses):
        switch.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def passed(cluster: object, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """All of it on the replicated class, with a brick of it lost and healed."""
    reports = tmp_path_factory.mktemp("integrity") / "reports"
    # So much that its rebuild can be seen.
    sizes = ("--storage-test-size", "256Mi", "--storage-volume-size", "512Mi")
    return run_suite(*INTEGRITY, "--storage-class", "replicated", *sizes, "--storage-destructive", reports=reports)


def test_good_storage_gives_back_what_was_written(passed: SuiteRun) -> None:
    assert passed.status == 0, passed.output
    for test in ("data_is_read_back", "by_a_new_pod", "written_data_is_read_on_another_node", "during_a_rebuild"):
        assert passed.verdict(test)["status"] == "pass"


def test_what_fio_printed_is_kept(passed: SuiteRun) -> None:
    kept = [path.name for path in (passed.folder / "latest" / "fio").iterdir()]
    assert len([name for name in kept if "verify" in name]) == 3, kept


def test_a_changed_byte_is_found_with_its_block_and_checksums(clean: Api, honest: LyingDisk, reports: Path) -> None:
    honest.rots.touch()
    run = run_suite(*INTEGRITY, *CLASS, "-k", "data_is_read_back", reports=reports)
    assert run.status == 1, run.output
    reason = run.verdict("data_is_read_back")["reason"]
    assert "64 MiB were written" in reason and "in the pod that wrote it" in reason
    assert "of 1,024 blocks of 64 KiB differ from what was written: at offset" in reason
    assert " expected, " in reason and " found" in reason


def test_what_changes_later_is_found_by_the_pods_that_read_it(clean: Api, honest: LyingDisk, reports: Path) -> None:
    with started_suite(*INTEGRITY, *CLASS, reports=reports) as process:
        while process.poll() is None and not honest.rots.exists():
            # As soon as the first has ended, so that the second has not read all where this comes late: the run stands
            # still while one looks, and makes no second pod meanwhile.
            process.send_signal(signal.SIGSTOP)
            try:
                pods = {each["metadata"]["name"]: each["status"].get("phase") for each in own(clean, PODS)}
                if any(
                    name.endswith("2-verify") or (name.endswith("1-write") and phase == "Succeeded")
                    for name, phase in pods.items()
                ):
                    honest.rots.touch()
            finally:
                process.send_signal(signal.SIGCONT)
            time.sleep(0.1)
        run = finish(process, reports=reports)
    assert run.status == 1, run.output
    assert run.verdict("data_is_read_back")["status"] == "pass"
    for test, where in (("by_a_new_pod", "the same node"), ("written_data_is_read_on_another_node", "another node")):
        assert run.verdict(test)["status"] == "fail"
        assert f"read again in a new pod on {where}" in run.verdict(test)["reason"]
        assert "blocks of 64 KiB differ from what was written: at offset" in run.verdict(test)["reason"]


def test_writes_lost_during_a_rebuild_are_found(clean: Api, honest: LyingDisk, reports: Path, tmp_path: Path) -> None:
    lost = str(honest.loses)
    # For two looks, whenever they come.
    looks = str(tmp_path / "looks")
    going_on = (
        f"import os, sys; os.path.exists({lost!r}) or sys.exit(); open({looks!r}, 'a').write('.'); "
        f"sys.exit(os.stat({looks!r}).st_size <= 2)"
    )
    target = tmp_path / "target.yaml"
    target.write_text(
        "rebuild:\n"
        "  driver: command\n"
        f"  trigger: [{sys.executable}, -c, {f'open({lost!r}, chr(119))'!r}]\n"
        f"  healthy: [{sys.executable}, -c, {going_on!r}]\n"
    )
    options = [*INTEGRITY, *CLASS, "-k", "rebuild", "--storage-destructive", f"--storage-target={target}"]
    run = run_suite(*options, reports=reports)
    assert run.status == 1, run.output
    reason = run.verdict("during_a_rebuild")["reason"]
    assert "older or foreign content" in reason
