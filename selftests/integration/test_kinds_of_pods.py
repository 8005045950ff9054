"""Rolling updates, user namespaces, SELinux levels, operations on files and refused expansions, through the suite's own
command line: seen on the lab's driver, not tried where the nodes lack something, a fail where the driver is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from acceptance.cluster.api import Api
from embedded_cluster.csi.part import CLASS
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, discarding_class, faulty_classes
from selftests.lab.lingering_condition import lingering_condition

FILES = (
    *("tests/test_kinds_of_pods.py", "tests/test_volume_features.py"),
    *("tests/test_growing_volumes.py", "tests/test_workloads.py"),
)
OPTIONS = ("--storage-for", "postgresql", "--storage-with", "refused-size=5Ti")
PARTS = {
    "rolling-update": "new_pod_takes_over",
    "user-namespaces": "user_namespace",
    "selinux-levels": "selinux_levels",
    "file-operations": "files_behave_as_on",
    "expansion-recovery": "recovers_from_a_refused",
}
"""A part of the name of the test of each capability."""
OF_WORKLOADS = "has_the_file_operations"
NOT_HERE = {"user-namespaces": "reports no user namespaces for pods", "selinux-levels": "SELinux is off there"}
"""What the nodes of this cluster lack: the runtime, and the kernel, have none."""
FAULTS = {
    ("first-pod-alone", "rolling-update"): ("failed", "to start"),
    ("data-lost-at-unpublish", "rolling-update"): ("failed", "a third one, after them, found other data: nothing"),
    ("data-lost-at-unpublish", "file-operations"): ("failed", "replace-file (in a new pod:"),
    ("old-file-system", "file-operations"): ("missing", "preallocate (fallocate: Operation not supported); times ("),
    ("never-grows-again", "expansion-recovery"): (
        "failed",
        "be expanded to 2 GiB; last state: capacity 1 GiB",
    ),
}
"""Faults of the driver, each with the capability that shows it; its status, and what it says."""
WAITED_S = 60

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", autouse=True)
def classes(api: Api) -> Iterator[None]:
    """A class for each fault."""
    with faulty_classes(api, sorted({fault for fault, _ in FAULTS})):
        yield


@pytest.fixture(scope="module")
def good(classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """All of it on the class that can do everything."""
    select = " or ".join([*PARTS.values(), OF_WORKLOADS])
    options = [*FILES, *OPTIONS, "--storage-class", CLASS, "-k", select]
    run = run_suite(*options, reports=tmp_path_factory.mktemp("pods") / "reports")
    assert left_behind(api) == []
    return run


@pytest.fixture(scope="module")
def wrong(classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """The run that tries each fault, and a workload on the classes whose operations fail or are lacking."""
    cases = [f"({PARTS[capability]} and {class_of(fault)})" for fault, capability in FAULTS]
    cases += [f"({OF_WORKLOADS} and {class_of(fault)})" for fault in ("data-lost-at-unpublish", "old-file-system")]
    names = [word for fault in sorted({fault for fault, _ in FAULTS}) for word in ("--storage-class", class_of(fault))]
    options = [*FILES, *OPTIONS, *names, "--storage-timeout", f"{WAITED_S}s", "-k", " or ".join(cases)]
    run = run_suite(*options, reports=tmp_path_factory.mktemp("wrong") / "reports")
    assert run.status == 1, run.output
    assert left_behind(api) == []
    return run


def record_of(run: SuiteRun, storage_class: str, capability: str) -> dict[str, Any]:
    """The only record of the class's capability."""
    (record,) = [
        record
        for record in run.results["capabilities"]
        if (record["storage_class"], record["capability"]) == (storage_class, capability)
    ]
    return dict(record)


def test_all_is_seen_that_the_nodes_can_do(good: SuiteRun) -> None:
    assert good.status == 0, good.output
    statuses = {record["capability"]: record["status"] for record in good.results["capabilities"]}
    assert statuses == {name: "not_tried" if name in NOT_HERE else "seen" for name in PARTS}
    for capability, why in NOT_HERE.items():
        assert why in record_of(good, CLASS, capability)["how"]
    operations = record_of(good, CLASS, "file-operations")["operations"]
    assert len(operations) >= 20 and {operation["outcome"] for operation in operations} == {"works"}


def test_the_report_has_a_table_of_operations_and_the_workload_counts_them(good: SuiteRun) -> None:
    html = (good.folder / "latest" / "report.html").read_text()
    assert "Operations on files" in html and "copy_file_range copies data to another file" in html
    assert "file operations: pass" in good.output


@pytest.mark.parametrize("case", FAULTS, ids="-".join)
def test_what_is_wrong_is_told_for_that_reason(case: tuple[str, str], wrong: SuiteRun) -> None:
    fault, capability = case
    status, said = FAULTS[case]
    record = record_of(wrong, class_of(fault), capability)
    assert record["status"] == status and said in record["how"]


def test_an_old_file_system_lacks_what_came_later_and_nothing_else(wrong: SuiteRun) -> None:
    operations = record_of(wrong, class_of("old-file-system"), "file-operations")["operations"]
    outcomes = {operation["operation"]: operation["outcome"] for operation in operations}
    assert {name for name, outcome in outcomes.items() if outcome == "lacks"} == {"preallocate", "times"}
    assert "fails" not in outcomes.values()


def test_a_workload_fails_only_on_a_class_without_the_operations_that_it_needs(wrong: SuiteRun) -> None:
    verdicts = {
        verdict["storage_class"]: verdict for verdict in wrong.results["verdicts"] if OF_WORKLOADS in verdict["test"]
    }
    lost = verdicts[class_of("data-lost-at-unpublish")]
    assert lost["status"] == "fail" and "replace-file fails" in lost["reason"]
    assert verdicts[class_of("old-file-system")]["status"] == "pass"


def test_a_condition_that_stays_after_an_expansion_fails(
    classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with discarding_class(api) as name, lingering_condition(api, name, above=2**30):
        select = ["-k", "test_volume_expands_while", "--storage-class", name, "--storage-timeout", f"{WAITED_S}s"]
        reports = tmp_path_factory.mktemp("lingers") / "reports"
        run = run_suite("tests/test_volume_features.py", *select, reports=reports)
        assert left_behind(api) == []
    record = record_of(run, name, "expansion")
    assert (run.status, record["status"]) == (1, "failed"), run.output
    assert "that its expansion is over; last state: condition FileSystemResizePending" in record["how"]
