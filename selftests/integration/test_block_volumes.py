"""Raw block volumes: loaded as devices where a class has them, a skip that names the capability where it has none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from selftests.integration.suite import run_suite
from selftests.lab.provisioner import LabClass, lab_classes

BLOCK = ("--storage-volume-mode", "block")


@pytest.fixture(scope="module", autouse=True)
def lab(api: Api, lab_folder: Path) -> Iterator[None]:
    """A class whose raw block volumes are loop devices."""
    with lab_classes(api, [LabClass(name="lab-devices", folder=lab_folder)]):
        yield


@pytest.mark.full
def test_devices_are_loaded_and_judged(clean: Api, reports: Path) -> None:
    select = "random-read-iops or sysbench or dbench-sequential-write or (test_provisioning and same_node)"
    select += " or test_written_data"
    run = run_suite(
        "--storage-class", "lab-devices", *BLOCK, "-k", select, "-m", "not comparison and not scale", reports=reports
    )
    assert run.status == 0, run.output
    assert run.verdict("random-read-iops")["status"] == "pass"
    assert run.verdict("same_node")["status"] == "pass"
    assert run.verdict("written_data_is_read_on_another_node")["status"] == "pass"
    skipped = [verdict["reason"] for verdict in run.results["verdicts"] if verdict["status"] == "skipped"]
    assert skipped and all("capability 'file system'" in reason for reason in skipped)
    assert {measurement["profile"] for measurement in run.results["measurements"]} == {"random-read-iops"}


def test_class_without_devices_is_a_skip_that_names_the_capability(clean: Api, reports: Path) -> None:
    select = "random-read-iops or same_node"
    run = run_suite(
        "--storage-class", "local-path", *BLOCK, "-k", select, "-m", "not comparison and not scale", reports=reports
    )
    assert run.status == 5, run.output
    assert {each["status"] for each in run.results["verdicts"]} == {"skipped"}
    for verdict in run.results["verdicts"]:
        assert "capability 'raw block volumes': StorageClass local-path does not support it" in verdict["reason"]


def test_unknown_mode_is_told_with_those_there_are(reports: Path) -> None:
    run = run_suite("--storage-volume-mode", "disk", reports=reports)
    assert run.status == 4
    assert "--storage-volume-mode" in run.output and "'filesystem' or 'block'" in run.output
