"""Operations of different kinds at the same time, through the suite's own command line: on good storage, on a driver
that deadlocks, and on one whose volumes stall while another is copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from embedded_cluster.csi.part import CLASS
from selftests.integration.own_snapshots import snapshots_of_own
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes

DEADLOCKS, STALLS = "deadlocks-when-mixed", "stalls-while-copying"
AT_ONCE = 6
FILES = ("tests/test_mixed_operations.py", f"--storage-with=operations={AT_ONCE}")
# A volume that stalls does so for 8 s.
LIMITS = """
version: 1
tiers:
  baseline:
    mixed_operations:
      failed: {at_most: 0, because: the test wants it so}
      slowest: {at_most: 5min, because: the test wants it so}
      write_gap: {at_most: 6s, because: the test wants it so}
"""
KINDS = ["create", "snapshot", "restore", "clone", "expand", "delete"]


def verdicts(run: SuiteRun, storage_class: str) -> dict[str, dict[str, Any]]:
    """Those on the class, by metric; that on the records by the name of its test."""
    of_class = [verdict for verdict in run.results["verdicts"] if verdict["storage_class"] == storage_class]
    return {(verdict["requirement"]["metric"] or "records").rpartition(".")[2]: verdict for verdict in of_class}


@pytest.mark.full
def test_mixed_operations_fail_for_what_is_wrong_with_the_storage(clean: Api, reports: Path, tmp_path: Path) -> None:
    (limits := tmp_path / "limits.yaml").write_text(LIMITS)
    faults = (DEADLOCKS, STALLS)
    classes = [f"--storage-class={name}" for name in (CLASS, *map(class_of, faults))]
    with faulty_classes(clean, faults):
        run = run_suite(*FILES, *classes, f"--storage-thresholds={limits}", "--storage-timeout=90s", reports=reports)
    assert run.status == 1, run.output
    good, deadlocks, stalls = (verdicts(run, name) for name in (CLASS, *map(class_of, faults)))
    assert {name: verdict["status"] for name, verdict in good.items()} == dict.fromkeys(
        ("failed", "slowest", "write_gap", "records"), "pass"
    )
    assert deadlocks["failed"]["status"] == "fail" and "waits for the lock of a copy" in deadlocks["failed"]["reason"]
    assert deadlocks["failed"]["measured"] == 1
    assert (deadlocks["slowest"]["status"], deadlocks["records"]["status"]) == ("inconclusive", "pass")
    assert stalls["write_gap"]["status"] == "fail" and stalls["write_gap"]["measured"] > 6
    assert (stalls["failed"]["status"], stalls["records"]["status"]) == ("pass", "pass")
    for record in run.results["figures"]:
        assert [row["Operation"] for row in record["rows"]] == KINDS
    assert snapshots_of_own(clean) == []
    assert left_behind(clean) == []


@pytest.mark.full
def test_without_being_requested_none_is_done(clean: Api, reports: Path) -> None:
    run = run_suite("tests/test_mixed_operations.py", f"--storage-class={CLASS}", reports=reports)
    assert run.status == 5 and run.results["figures"] == [], run.output
