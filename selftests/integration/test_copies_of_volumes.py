"""Copies, growth and several volumes, through the suite's own command line: seen on the lab's driver, missing where the
class has none, and a fail for its own reason where the driver gets it wrong."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES
from embedded_cluster.csi.part import CLASS
from selftests.capability_tests import capabilities_of
from selftests.integration.own_snapshots import snapshots_of_own
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes

TESTS = ("tests/test_growing_volumes.py", "tests/test_copies_of_volumes.py", "tests/test_several_volumes.py")
WAITED_FOR = {
    ("grows-in-name-only", "expansion-offline", "test_unused_volume"): (
        "to have its new size in a new pod (no pod used it during the expansion to 2 GiB)"
    ),
    ("grows-in-name-only", "expansion-new-pod", "volume_expands_for_a_recreated_pod"): (
        "to have its new size in a new pod (its pod was recreated during the expansion to 2 GiB)"
    ),
    (
        "grows-in-name-only",
        "block-expansion",
        "raw_block_volume_expands_while_in_use",
    ): "no data can be written to its new end",
    (
        "copies-keep-id",
        "restore-on-same-node",
        "its_restored_snapshot_are",
    ): "wrong fs type, bad option, bad superblock",
    ("copies-keep-id", "clone-on-same-node", "its_clone_are_used"): "wrong fs type, bad option, bad superblock",
    ("snapshots-never-freed", "snapshot-rounds", "repeated_snapshots_leave_nothing_behind"): "in round 4 of 4",
}
"""By fault, capability and a part of the test's name, what is said of it: found when a time is over."""
SEEN = {
    ("grows-only-in-use", "restore-larger", "test_snapshot_restored_to_a_larger"): "expected a file system of at least",
    ("grows-only-in-use", "clone-larger", "test_larger_clone"): "expected a file system of at least",
    ("snapshot-empty", "restore-read-only", "read_only_restored_snapshot_refuses_writes"): "does not show its data",
    ("mounts-inside", "clone-read-only", "read_only_clone_refuses_writes"): "accepted writes: a new file in a folder",
    ("one-clone-at-a-time", "parallel-clones", "concurrent_clones_are_all_intact"): "2 of 3 clones",
    ("snapshot-taken-late", "block-snapshot", "test_snapshot_of_a_raw"): "written after the copy was taken",
    ("clone-shares", "block-clone", "test_clone_of_a_raw"): "data written to the clone appears on its source",
    ("taken-for-another", "two-volumes", "pod_uses_two"): "shows the data of the ",
}
"""The same, found at once."""
FAULTS = WAITED_FOR | SEEN
WAITED_S = 30
REFUSED = ("--storage-with", "refused-size=5Ti")
"""A size that the lab's driver refuses."""
CLONES_SLOWLY = "clones-slowly"
"""It is told, and fails nothing."""
Case = tuple[str, str, str]

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", autouse=True)
def classes(api: Api) -> Iterator[None]:
    """A class for each way to get it wrong, beside the cluster's own, which can do everything."""
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")
    with faulty_classes(api, sorted({fault for fault, _, _ in FAULTS} | {CLONES_SLOWLY})):
        yield


@pytest.fixture(scope="module")
def good(classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """All of it on the class that can do everything."""
    reports = tmp_path_factory.mktemp("copies") / "reports"
    run = run_suite(*TESTS, *REFUSED, "--storage-class", CLASS, reports=reports)
    assert left_behind(api) == []
    return run


def tried(cases: dict[Case, str]) -> list[str]:
    """The options of a run that tries each fault on its class, by the test that finds it."""
    faults = sorted({fault for fault, _, _ in cases})
    options = [word for fault in faults for word in ("--storage-class", class_of(fault))]
    select = " or ".join(f"({part} and {class_of(fault)})" for fault, _, part in cases)
    return [*options, "--storage-timeout", f"{WAITED_S}s", "-k", select]


@pytest.fixture(scope="module")
def wrong(classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory) -> list[SuiteRun]:
    """The runs that try each fault, one after the other: those that wait take minutes together."""
    folders = [tmp_path_factory.mktemp("wrong") / "reports" for _ in range(2)]
    waited = run_suite(*TESTS, *tried(WAITED_FOR), reports=folders[0])
    seen = run_suite(*TESTS, *tried(SEEN), reports=folders[1])
    assert (waited.status, seen.status) == (1, 1), waited.output + seen.output
    assert left_behind(api) == []
    return [waited, seen]


def test_all_is_seen_on_storage_that_can_do_it(good: SuiteRun) -> None:
    assert good.status == 0, good.output
    found = {each["capability"]: each["status"] for each in good.results["capabilities"]}
    assert found == dict.fromkeys(capabilities_of(*TESTS), "seen")


def test_no_snapshot_and_no_content_stays(good: SuiteRun, api: Api) -> None:
    assert snapshots_of_own(api) == []


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: f"{case[0]}-{case[1]}")
def test_what_is_wrong_fails_for_that_reason(case: Case, wrong: list[SuiteRun]) -> None:
    fault, capability, _ = case
    records: list[dict[str, Any]] = [each for run in wrong for each in run.results["capabilities"]]
    (record,) = [
        each for each in records if each["capability"] == capability and each["storage_class"] == class_of(fault)
    ]
    assert record["status"] == "failed" and FAULTS[case] in record["how"]


def test_what_a_class_lacks_is_named(api: Api, reports: Path) -> None:
    """A class of one node's folders: nothing of it grows or is copied, and two volumes are had on that node alone."""
    run = run_suite(*TESTS, *REFUSED, "--storage-class", "local-path", reports=reports)
    found = {
        capability["capability"]: (capability["status"], capability["how"])
        for capability in run.results["capabilities"]
    }
    assert found.pop("two-volumes")[0] == "seen"
    assert {status for status, _ in found.values()} == {"missing"}
    assert "allowVolumeExpansion is not true" in found["expansion-offline"][1]
    assert "only CSI drivers can clone" in found["clone-larger"][1]
    assert left_behind(api) == []


@pytest.mark.release
def test_clones_that_take_longer_for_more_data_are_told_to_be_copies(
    classes: None, good: SuiteRun, api: Api, tmp_path: Path
) -> None:
    """A clone of 512 MiB takes 25 s longer than the lab's own copy, which a class without the fault makes at once."""
    select = ("-k", "clone_time_tells_full_copies_from_references", "--storage-class", class_of(CLONES_SLOWLY))
    run = run_suite("tests/test_copies_of_volumes.py", *select, reports=tmp_path / "reports")
    assert run.status == 0, run.output
    assert left_behind(api) == []
    (slow,) = run.results["capabilities"]
    (usual,) = [capability for capability in good.results["capabilities"] if capability["capability"] == "clone-times"]
    found = re.match(r"copies: ([\d.]+) s more for 496 MiB more, so about [\d.]+ (min|h) for 100 GiB", slow["how"])
    assert found and float(found[1]) > 15, slow
    told = re.match(
        r"copies: ([\d.]+) s more|by reference, or|copies and references cannot be distinguished", usual["how"]
    )
    assert told and (told[1] is None or float(told[1]) < 10), usual
