"""Copies as backups, through the suite's own command line: seen on the lab's driver, missing where the class has none,
and a fail for its own reason where the driver damages or refuses them."""

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

TESTS = ("tests/test_backups.py",)
BLOCKS_LOST = "zeros, or never written"
CONSENT = "--storage-destructive"
"""To fill a volume."""
WAITED_FOR = {
    ("sources-stay", "chain-of-copies", "chain_of_copies"): "to be deleted while copies of it exist",
    ("never-grows-with-snapshots", "expansion-with-snapshot", "with_a_snapshot_expands"): "to be expanded to 2 GiB",
}
"""By fault, capability and a part of the test's name, what is said of it: found when a time is over."""
SEEN = {
    ("bulk-data-lost", "restore-bulk-data", "restored_snapshot_holds_every_block"): BLOCKS_LOST,
    ("bulk-data-lost", "clone-bulk-data", "clone_holds_every_block"): BLOCKS_LOST,
    ("bulk-data-lost", "expansion-bulk-data", "growing_volume_keeps_every_block"): BLOCKS_LOST,
    ("bulk-data-lost", "clone-of-a-full-volume", "full_volume_is_cloned"): BLOCKS_LOST,
    ("snapshots-lost-with-source", "snapshot-without-source", "snapshot_outlives"): "the file does not exist",
    (
        "deletion-damages-copies",
        "chain-of-copies",
        "chain_of_copies",
    ): "is damaged after the first snapshot of the chain was deleted",
    (
        "nodes-apart",
        "restore-read-write-many",
        "shared_by_two_nodes",
    ): "the file of the first node does not appear on the second",
    ("deleted-volume-returns", "recreated-claim", "recreated_claim"): "its new volume holds the file of an old one",
}
"""The same, found at once."""
FAULTS = WAITED_FOR | SEEN
LACKED = {
    ("sources-refused", "snapshot-without-source", "snapshot_outlives"): "code = FailedPrecondition",
    ("sources-refused", "chain-of-copies", "chain_of_copies"): "code = FailedPrecondition",
    ("refuses-growth-with-snapshots", "expansion-with-snapshot", "with_a_snapshot"): "code = FailedPrecondition",
}
"""What a driver refuses with a code and for a reason that say that it has none of it: missing, and no fail."""
WAITED_S = 60
Case = tuple[str, str, str]

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", autouse=True)
def classes(api: Api) -> Iterator[None]:
    """A class for each way to get it wrong, beside the cluster's own, which can do everything."""
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")
    with faulty_classes(api, sorted({fault for fault, _, _ in FAULTS | LACKED})):
        yield


@pytest.fixture(scope="module")
def good(classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """All of it on the class that can do everything."""
    reports = tmp_path_factory.mktemp("backups") / "reports"
    run = run_suite(*TESTS, CONSENT, "--storage-class", CLASS, reports=reports)
    assert left_behind(api) == []
    return run


@pytest.fixture(scope="module")
def wrong(classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory) -> list[SuiteRun]:
    """The runs that try each fault, one after the other: those that wait take minutes together."""
    return [
        tried(api, WAITED_FOR, tmp_path_factory.mktemp("waited"), status=1, waited_s=WAITED_S),
        tried(api, SEEN, tmp_path_factory.mktemp("seen"), status=1, waited_s=5 * WAITED_S),
    ]


def tried(api: Api, cases: dict[Case, str], folder: Path, *, status: int, waited_s: int) -> SuiteRun:
    """A run that tries each fault on its class, by the test that finds it."""
    faults = sorted({fault for fault, _, _ in cases})
    options = [CONSENT, *(word for fault in faults for word in ("--storage-class", class_of(fault)))]
    select = " or ".join(f"({part} and {class_of(fault)})" for fault, _, part in cases)
    run = run_suite(*TESTS, *options, "--storage-timeout", f"{waited_s}s", "-k", select, reports=folder / "reports")
    assert run.status == status, run.output
    assert left_behind(api) == []
    return run


def record_of(case: Case, runs: list[SuiteRun]) -> dict[str, Any]:
    """What the runs say of the capability on the class with the fault."""
    fault, capability, _ = case
    records: list[dict[str, Any]] = [record for run in runs for record in run.results["capabilities"]]
    (record,) = [
        record
        for record in records
        if record["capability"] == capability and record["storage_class"] == class_of(fault)
    ]
    return record


def test_all_is_seen_on_storage_that_can_do_it(good: SuiteRun, api: Api) -> None:
    assert good.status == 0, good.output
    statuses = {record["capability"]: record["status"] for record in good.results["capabilities"]}
    assert statuses == dict.fromkeys(capabilities_of(*TESTS), "seen")
    assert snapshots_of_own(api) == []


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: f"{case[0]}-{case[1]}")
def test_what_is_wrong_fails_for_that_reason(case: Case, wrong: list[SuiteRun]) -> None:
    record = record_of(case, wrong)
    assert record["status"] == "failed" and FAULTS[case] in record["how"], record


def test_what_a_driver_refuses_is_missing(classes: None, api: Api, tmp_path: Path) -> None:
    """Nothing else was tested, so the run ends with status 5."""
    run = tried(api, LACKED, tmp_path, status=5, waited_s=5 * WAITED_S)
    for case, text in LACKED.items():
        record = record_of(case, [run])
        assert record["status"] == "missing" and text in record["how"], record


def test_what_a_class_lacks_is_named(api: Api, reports: Path) -> None:
    """A class of one node's folders: nothing of it grows, is copied or has a size, but each volume is a new one."""
    run = run_suite(*TESTS, CONSENT, "--storage-class", "local-path", reports=reports)
    statuses = {record["capability"]: record["status"] for record in run.results["capabilities"]}
    assert statuses.pop("recreated-claim") == "seen"
    assert set(statuses.values()) == {"missing"}, statuses
    assert left_behind(api) == []
