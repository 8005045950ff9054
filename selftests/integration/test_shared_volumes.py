"""Volumes of several nodes through the suite's own command line: storage that shares, and storage that seems to."""

from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from embedded_cluster import EmbeddedCluster
from embedded_cluster.csi.part import CLASS
from selftests.capability_tests import capabilities_of
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes
from selftests.lab.own_locks import own_locks
from selftests.lab.provisioner import LabClass, lab_classes

SHARED = ("tests/test_shared_volumes.py", "-p", "selftests.lab.short_fill")
CAPABILITIES = capabilities_of(SHARED[0])
APART = "lab-locks-apart"

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def good(cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A network file system, a disk that all nodes have, and a class of one node's."""
    classes = [f"--storage-class={each}" for each in ("replicated", CLASS, "local-path")]
    return run_suite(*SHARED, *classes, reports=tmp_path_factory.mktemp("shared") / "reports", timeout=1200)


def test_storage_that_shares_is_seen_to(good: SuiteRun) -> None:
    assert good.status == 0, good.output
    found = {(each["storage_class"], each["capability"]): each for each in good.results["capabilities"]}
    for name in ("replicated", CLASS):
        for capability in CAPABILITIES:
            assert found[name, capability]["status"] == "seen", found[name, capability]
        assert "round trip " in found[name, "visibility"]["how"]
        assert "only members of its group could read a file of mode 0640" in found[name, "file-permissions"]["how"]
        assert "each time without lost or duplicate entries" in found[name, "directory-listing"]["how"]


def test_a_class_of_one_node_has_no_such_volumes(good: SuiteRun) -> None:
    verdicts = [verdict for verdict in good.results["verdicts"] if verdict["storage_class"] == "local-path"]
    assert [verdict["status"] for verdict in verdicts] == ["skipped"] * len(CAPABILITIES)
    assert all("only supports ReadWriteOnce" in verdict["reason"] for verdict in verdicts)


def test_locks_of_each_node_s_own_fail_for_that_reason(
    cluster: EmbeddedCluster, api: Api, lab_folder: Path, reports: Path
) -> None:
    """As on a network file system that is mounted with local locks."""
    folder = lab_folder / "apart"
    folder.mkdir()
    folder.chmod(0o777)
    options = [f"--storage-class={APART}", "--storage-timeout=30s"]
    with own_locks(cluster.name, folder), lab_classes(api, [LabClass(name=APART, folder=folder)]):
        found = run_suite(*SHARED, *options, reports=reports)
    assert found.status == 1, found.output
    locks = found.verdict("file_locks")
    assert locks["status"] == "fail"
    assert "held the same lock at the same time: " in locks["reason"] and "flock, fcntl" in locks["reason"]
    # An overlay goes on showing what it looked up, so that a file that another node puts there is not seen.
    assert found.verdict("changes_are_visible")["status"] == "fail"
    assert "did not appear within 30 s" in found.verdict("changes_are_visible")["reason"]
    # Nor are the rights that another node gives to what it knows.
    assert found.verdict("file_permissions")["status"] == "fail"
    assert "to appear on" in found.verdict("file_permissions")["reason"]


def test_writers_whose_nodes_are_apart_fail(api: Api, reports: Path) -> None:
    """Each node sees only its own writes: the records of the other writer are missing on it."""
    select = (SHARED[0], "-k", "nodes_write_at_the_same_time", "--storage-timeout", "30s")
    with faulty_classes(api, ["nodes-apart"]):
        run = run_suite(*select, "--storage-class", class_of("nodes-apart"), reports=reports)
    assert left_behind(api) == []
    assert run.status == 1, run.output
    (record,) = run.results["capabilities"]
    assert (record["capability"], record["status"]) == ("concurrent-writers", "failed")
    assert "only 0 of " in record["how"] and "records that a pod on" in record["how"]
