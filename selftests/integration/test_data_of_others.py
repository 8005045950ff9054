"""Data of deleted volumes and of neighbors, early deletions, and sizes, through the suite's own command line: seen on
storage that gets them right, and a fail for its own reason on storage that does not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES
from embedded_cluster import EmbeddedCluster
from embedded_cluster.csi.part import CLASS
from embedded_cluster.layout import Layout
from selftests.capability_tests import capabilities_of
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes, waiting_class

TESTS = ("tests/test_data_of_others.py", "tests/test_volume_sizes.py")
MOVES = "tests/test_volumes_in_use.py"
FAULTS = {
    ("shows-earlier-data", "erased-blocks", "test_new_raw_block_volume"): "that were written to the deleted volume",
    ("shows-earlier-data", "erased-files", "test_new_volume_is_empty"): "that were written to the deleted volume",
    (
        "deletes-neighbors",
        "isolated-deletion",
        "takes_no_data_of_others",
    ): "other volumes did not hold what was written",
    ("keeps-unused-space", "early-deletion", "deleted_before_it_is_bound"): "the pool keeps the space of 6 volumes",
    ("keeps-space", "early-deletion", "deleted_before_it_is_bound"): "the pool keeps the space of a volume that a pod",
    ("rounds-sizes-down", "requested-sizes", "test_volume_has_at_least"): "2 of 3 volumes",
    ("rounds-sizes-down", "block-requested-sizes", "test_raw_block_volume_has_at"): "3 of 3 volumes",
    ("formats-again", "moves", "when_moved_between_nodes"): "after move 3 of 6 between nodes, 3 of 3 volumes",
}
"""By fault, capability and a part of the test's name, what the failure says."""
Case = tuple[str, str, str]

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def pool(cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A target whose command adds up the images of all volumes, also of deleted ones that were kept."""
    folder = Layout(cluster.name).csi.pool
    images = f"find {folder} -type f -name '*.img*' -printf '%b\\\\n'"
    target = tmp_path_factory.mktemp("target") / "target.yaml"
    target.write_text(
        f"""pool: {{used: [sh, -c, "{images} | awk -v OFMT=%.0f '{{{{n += $1}}}} END {{{{print n * 512}}}}'"]}}\n"""
    )
    yield f"--storage-target={target}"
    remove_kept(cluster)


def remove_kept(cluster: EmbeddedCluster) -> None:
    """Remove what faults keep of deleted volumes."""
    for path in (Layout(cluster.name).csi.pool / "kept").iterdir():
        path.unlink()


@pytest.fixture(scope="module")
def good(api: Api, pool: str, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """All of it on the class that can do everything."""
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")
    run = run_suite(*TESTS, "--storage-class", CLASS, pool, reports=tmp_path_factory.mktemp("others") / "reports")
    assert left_behind(api) == []
    return run


@pytest.fixture(scope="module")
def wrong(api: Api, pool: str, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """Each fault on its class, by the tests that find it."""
    faults = sorted({fault for fault, _, _ in FAULTS})
    options = [f"--storage-class={class_of(fault)}" for fault in faults]
    select = ("-k", " or ".join(f"({part} and {class_of(fault)})" for fault, _, part in FAULTS))
    reports = tmp_path_factory.mktemp("wrong") / "reports"
    with faulty_classes(api, faults):
        run = run_suite(*TESTS, MOVES, *options, pool, "--storage-timeout=60s", *select, reports=reports, timeout=1800)
        assert left_behind(api) == []
    assert run.status == 1, run.output
    return run


def test_all_is_seen_on_storage_that_gets_it_right(good: SuiteRun) -> None:
    assert good.status == 0, good.output
    found = {record["capability"]: (record["status"], record["how"]) for record in good.results["capabilities"]}
    assert found.pop("large-volume")[0] == "not_tried"
    assert {name: status for name, (status, _) in found.items()} == dict.fromkeys(
        capabilities_of(*TESTS) - {"large-volume"}, "seen"
    )
    assert "used afterwards" in found["early-deletion"][1], "the space of the pool was judged"
    assert [warning for warning in good.results["warnings"] if "the pool behind" in warning] == []


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: f"{case[0]}-{case[1]}")
def test_what_is_wrong_fails_for_that_reason(case: Case, wrong: SuiteRun) -> None:
    fault, capability, _ = case
    records: list[dict[str, Any]] = wrong.results["capabilities"]
    (record,) = [
        record
        for record in records
        if record["capability"] == capability and record["storage_class"] == class_of(fault)
    ]
    assert record["status"] == "failed" and FAULTS[case] in record["how"], record["how"]


def test_earlier_data_is_no_volume_of_others_to_a_class_that_waits_for_a_pod(
    cluster: EmbeddedCluster, api: Api, reports: Path
) -> None:
    """There, a pod of the suite that would write to such a volume ends, and gives no verdict."""
    remove_kept(cluster)  # else the volume that is to be deleted shows data, too
    with waiting_class(api, "shows-earlier-data") as name:
        run = run_suite(TESTS[0], f"--storage-class={name}", "-k", "shows_no_data or is_empty", reports=reports)
        assert left_behind(api) == []
    remove_kept(cluster)
    found = {record["capability"]: (record["status"], record["how"]) for record in run.results["capabilities"]}
    assert run.status == 1 and found.keys() == {"erased-blocks", "erased-files"}, run.output
    for status, how in found.values():
        assert status == "failed" and "that were written to the deleted volume" in how, how


def test_a_pool_that_has_more_after_the_run_is_a_warning(wrong: SuiteRun) -> None:
    (used,) = {(pool["used_before"], pool["used_after"]) for pool in wrong.results["pools"]}
    assert used[1] - used[0] > 1024**3
    assert [warning for warning in wrong.results["warnings"] if "the pool behind" in warning] != []


def large(api: Api, storage_class: str, reports: Path) -> SuiteRun:
    """One volume that takes a minute to format where that is slow."""
    options = ("--storage-with=large-volume=24Gi", "--storage-timeout=40s", "-k", "production_size")
    run = run_suite(TESTS[1], f"--storage-class={storage_class}", *options, reports=reports)
    assert left_behind(api) == []
    return run


def test_a_large_volume_is_used_in_time(api: Api, reports: Path) -> None:
    run = large(api, CLASS, reports)
    assert run.status == 0, run.output
    (record,) = run.results["capabilities"]
    assert record["status"] == "seen" and "a volume of 24Gi" in record["how"], record["how"]


def test_a_large_volume_that_is_formatted_slowly_fails(api: Api, reports: Path) -> None:
    with faulty_classes(api, ["formats-slowly"]):
        run = large(api, class_of("formats-slowly"), reports)
    (record,) = run.results["capabilities"]
    assert run.status == 1 and record["status"] == "failed" and " to start; last state: " in record["how"], run.output


def test_a_class_of_one_node_keeps_to_itself(api: Api, reports: Path) -> None:
    """Its volumes are folders, created once a pod is scheduled: none is empty by chance, or left behind."""
    run = run_suite(TESTS[0], "--storage-class", "local-path", reports=reports)
    found = {record["capability"]: record["status"] for record in run.results["capabilities"]}
    assert found.pop("erased-blocks") == "missing"
    assert found.pop("early-deletion") in ("seen", "not_tried")  # it may be faster than the suite
    assert set(found.values()) == {"seen"}
    assert left_behind(api) == []
