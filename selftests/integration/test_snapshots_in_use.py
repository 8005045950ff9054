"""Snapshots of volumes that are written to, through the suite's own command line: of one moment on storage that takes
them well, and a fail for its own reason on storage that takes them of an earlier one, or of two."""

from collections.abc import Iterator
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import SNAPSHOT_CONTENTS, STORAGE_CLASSES, VOLUME_SNAPSHOTS
from embedded_cluster.csi.part import CLASS
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes

pytestmark = pytest.mark.full

# Longer than it takes the driver to remember the earlier state that a snapshot is of, where it does that.
TESTS = ("tests/test_snapshots_in_use.py", "--storage-timeout", "90s", "--storage-durability-time", "8s")
FAULTS = {
    "snapshot-taken-early": "records that were acknowledged before it was asked for",
    "snapshot-two-moments": "does not show one moment",
}
"""What the driver gets wrong, and what the verdict says."""


@pytest.fixture(scope="module")
def runs(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, SuiteRun]]:
    """The run on the class that takes good snapshots, and the one on those that do not, by class."""
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")
    wrong = [class_of(fault) for fault in FAULTS]
    with faulty_classes(api, list(FAULTS)):
        folder = tmp_path_factory.mktemp("snapshots")
        good = run_suite(*TESTS, "--storage-class", CLASS, reports=folder / "good")
        classes = [word for name in wrong for word in ("--storage-class", name)]
        bad = run_suite(*TESTS, *classes, reports=folder / "bad")
        yield {CLASS: good, **dict.fromkeys(wrong, bad)}
    assert left_behind(api) == []


def of(run: SuiteRun, kind: str, storage_class: str) -> dict[str, Any]:
    """The only verdict or record of the class."""
    (found,) = [each for each in run.results[kind] if each["storage_class"] == storage_class]
    return dict(found)


def test_a_snapshot_of_a_volume_in_use_is_of_one_moment(runs: dict[str, SuiteRun]) -> None:
    run = runs[CLASS]
    assert run.status == 0, run.output
    record = of(run, "snapshots", CLASS)
    assert (record["lost"], record["holes"]) == ([], [])
    assert record["whole"] >= record["acknowledged"] >= 20
    assert [each["stage"] for each in record["paces"]] == ["before", "taken", "restored", "deleted"]
    assert all(each["records"] for each in record["paces"] if each["stage"] in ("before", "restored"))
    html = (run.folder / "latest" / "report.html").read_text()
    assert "What snapshots of volumes in use hold" in html


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_fails_for_that_reason(fault: str, runs: dict[str, SuiteRun]) -> None:
    run, storage_class = runs[class_of(fault)], class_of(fault)
    assert run.status == 1, run.output
    verdict = of(run, "verdicts", storage_class)
    assert verdict["status"] == "fail" and FAULTS[fault] in verdict["reason"]


def test_a_snapshot_of_two_moments_lacks_nothing_but_its_order(runs: dict[str, SuiteRun]) -> None:
    """What was acknowledged before is in both halves: only that a later record is there without one before it tells."""
    record = of(runs[class_of("snapshot-two-moments")], "snapshots", class_of("snapshot-two-moments"))
    assert record["lost"] == [] and record["holes"]


def test_no_snapshot_and_no_content_stays(runs: dict[str, SuiteRun], api: Api) -> None:
    assert api.list(VOLUME_SNAPSHOTS) == [] and api.list(SNAPSHOT_CONTENTS) == []
