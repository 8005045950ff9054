"""The access mode of a whole run through the suite's own command line: every claim has it, tests of all kinds pass on
storage that has the mode, and a class that refuses it is not tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from embedded_cluster.csi.part import CLASS
from selftests.integration.claim_modes import claim_modes
from selftests.integration.suite import SuiteRun, left_behind, run_suite

SHARED, ONE_POD = ("--storage-access-mode", "rwx"), ("--storage-access-mode", "rwop")
PARTS = (
    "random-read-iops",
    "claim_binds_and_takes",
    "survives_a_new_pod",
    "written_data",
    "survive_a_killed_pod",
    "failover_completes",
    "survive_a_failover",
    "survive_a_drain",
    "full_volume",
    "volume_expands_while",
    "snapshot_holds",
    "snapshot_of_a_volume_in_use",
    "moved_between_nodes",
    "required_number_of_pods",
    "all_volumes_are_deleted",
)
"""Parts of the names of tests of all kinds."""
NEEDS_MORE = ("space_of_deleted_files", "releases_its_space")
"""They need the mount option discard, and a command that shows the pool."""
LIMITS = """\
version: 1
tiers:
  baseline:
    description: for a test
    limits:
      random-read-iops:
        read.iops: {at_least: 1, because: the test wants it so}
    failover:
      time: {at_most: 5min, because: the test wants it so}
      drain_time: {at_most: 5min, because: the test wants it so}
    control_plane:
      ramp:
        rate: 60/min
        stop_when:
          slow_starts: {longer_than: 2min, more_than: 4, because: too slow}
      pods: {at_least: 6, because: the test wants it so}
      ramp_down: {at_most: 5min, because: the test wants it so}
    operations:
      failed: {at_most: 0%, because: the test wants it so}
"""


def judged(run: SuiteRun) -> dict[str, str]:
    """By the name of the test without its parameters, the status of its verdict."""
    verdicts = run.results["verdicts"]
    return {verdict["test"].rpartition("::")[2].partition("[")[0]: verdict["status"] for verdict in verdicts}


@pytest.fixture(scope="module")
def limits(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The option for limits that all storage reaches."""
    path = tmp_path_factory.mktemp("limits") / "limits.yaml"
    path.write_text(LIMITS)
    return f"--storage-thresholds={path}"


@pytest.mark.full
@pytest.mark.disrupts
def test_tests_of_all_kinds_pass_on_shared_volumes(api: Api, limits: str, reports: Path) -> None:
    """Loads, integrity, crashes, failover, drain, expansion, full volumes, snapshots, moves and a ramp."""
    options = ("--storage-destructive", "--storage-durability-time", "2s", "--storage-volume-size", "400Mi", limits)
    with claim_modes(api) as modes:
        run = run_suite(*SHARED, "--storage-class", CLASS, *options, "-k", " or ".join(PARTS), reports=reports)
    assert left_behind(api) == []
    statuses = judged(run)
    others = {name: status for name, status in statuses.items() if status != "pass"}
    assert {name for name in others if not any(part in name for part in NEEDS_MORE)} == set(), run.output
    assert set(others.values()) <= {"skipped"} and run.status == 0, run.output
    assert [part for part in PARTS if not any(part in name for name in (*statuses, "random-read-iops"))] == []
    assert len(modes) >= 15 and set(map(tuple, modes.values())) == {("ReadWriteMany",)}, modes
    assert run.results["settings"]["access_mode"] == "ReadWriteMany"
    assert run.results["measurements"] and run.results["control_plane"][0]["volumes"] == 6
    page = (run.folder / "latest" / "report.html").read_text()
    assert "Access mode" in page and "--storage-access-mode" in page
    metrics = (run.folder / "latest" / "metrics.prom").read_text()
    assert 'access_mode="ReadWriteMany"' in metrics


@pytest.mark.full
def test_a_volume_for_one_pod_is_used_by_one_after_the_other(api: Api, limits: str, reports: Path) -> None:
    parts = ("random-read-iops", "survives_a_new_pod", "written_data", "survive_a_killed_pod", "survive_a_drain")
    two_pods = ("written_during_a_rebuild",)
    features = ("volume_expands_while", "snapshot_holds", "clone_is_independent", "moved_between_nodes")
    select = " or ".join((*parts, *two_pods, *features))
    options = ("--storage-durability-time", "2s", "--storage-destructive", limits)
    with claim_modes(api) as modes:
        run = run_suite(*ONE_POD, "--storage-class", CLASS, *options, "-k", select, reports=reports)
    assert left_behind(api) == []
    statuses = judged(run)
    assert statuses.pop("test_data_written_during_a_rebuild_is_read_back") == "skipped"
    assert "two pods at the same time" in run.verdict("written_during_a_rebuild")["reason"]
    assert set(statuses.values()) == {"pass"} and run.status == 0, run.output
    assert set(map(tuple, modes.values())) == {("ReadWriteOncePod",)}, modes


@pytest.mark.full
def test_a_class_that_refuses_the_mode_is_not_tried(api: Api, limits: str, reports: Path) -> None:
    """Nothing is judged, whatever kind of test it is, and nothing is said of other capabilities."""
    parts = ("random-read-iops", "same_node", "survive_a_killed_pod", "fs_group_owns", "full_volume")
    select = " or ".join((*parts, "required_number_of_pods", "two_nodes_share_a_volume"))
    select += " or concurrent_operations_succeed"
    more = ("--storage-destructive", "--storage-with", "operations=2", limits)
    options = (*more, "--storage-class", "local-path", "-k", select)
    run = run_suite(*SHARED, *options, reports=reports)
    assert left_behind(api) == []
    assert run.status == 5, run.output
    verdicts: list[dict[str, Any]] = run.results["verdicts"]
    assert {verdict["status"] for verdict in verdicts} == {"skipped"}, run.output
    assert all("only supports ReadWriteOnce" in verdict["reason"] for verdict in verdicts), json.dumps(verdicts)
    capabilities = {record["capability"]: record["status"] for record in run.results["capabilities"]}
    assert capabilities == {"read-write-many": "missing", "fs-group": "not_tried"}


@pytest.mark.full
def test_a_baseline_of_one_node_is_compared_with_shared_volumes(api: Api, limits: str, reports: Path) -> None:
    options = ("--storage-class", CLASS, "--storage-baseline-class", "local-path", limits, "-k", "random-read-iops")
    with claim_modes(api) as modes:
        run = run_suite(*SHARED, *options, reports=reports)
    assert run.status == 0, run.output
    assert {measurement["role"] for measurement in run.results["measurements"]} == {"candidate", "baseline"}
    assert sorted(map(tuple, modes.values())) == [("ReadWriteMany",), ("ReadWriteOnce",)]
    assert "ReadWriteMany; of local-path: ReadWriteOnce" in (run.folder / "latest" / "report.html").read_text()


def test_a_mode_that_no_run_can_have_is_told_with_those_there_are(reports: Path) -> None:
    run = run_suite("--storage-access-mode", "rox", reports=reports)
    assert run.status == 4
    assert "--storage-access-mode: expected one of ReadWriteOnce, ReadWriteMany, ReadWriteOncePod" in run.output
