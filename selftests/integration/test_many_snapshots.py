"""A volume with many snapshots, through the suite's own command line: as fast as one without on storage whose snapshots
are copies, and a fail on storage that stands still the longer the more snapshots there are."""

from collections.abc import Iterator
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES
from embedded_cluster.csi.part import CLASS
from selftests.integration.own_snapshots import snapshots_of_own
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes

# Its ratios are judged: beside other tests they can stay open.
pytestmark = [pytest.mark.release, pytest.mark.alone]

FAULT = "slow-with-snapshots"
COUNT = 8
TESTS = ("tests/test_many_snapshots.py", "--storage-operations", "--storage-operations-at-once", str(COUNT))
SIZES = ("--storage-timeout", "90s", "--storage-volume-size", "512Mi", "--storage-test-size", "128Mi")
BOUND = ("--storage-longest", "60s")


@pytest.fixture(scope="module")
def runs(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, SuiteRun]]:
    """The run on the class whose snapshots cost nothing, and the one on that whose volumes pay for them, by class."""
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")
    folder = tmp_path_factory.mktemp("many-snapshots")
    with faulty_classes(api, [FAULT]):
        yield {
            name: run_suite(*TESTS, *SIZES, *BOUND, "--storage-class", name, reports=folder / name)
            for name in (CLASS, class_of(FAULT))
        }
    assert left_behind(api) == []


def of(run: SuiteRun, kind: str) -> dict[str, Any]:
    """The only verdict or record of the run."""
    (found,) = run.results[kind]
    return dict(found)


def test_a_volume_with_snapshots_that_are_copies_is_as_fast_as_one_without(runs: dict[str, SuiteRun]) -> None:
    run = runs[CLASS]
    assert run.status == 0, run.output
    record, verdict = of(run, "many_snapshots"), of(run, "verdicts")
    assert len(record["times"]) == COUNT and record["left"]["low"] >= 0.5
    assert verdict["status"] == "pass" and f"with {COUNT} snapshots" in verdict["reason"]
    html = (run.folder / "latest" / "report.html").read_text()
    assert "Writes of a volume with many snapshots" in html


def test_a_volume_that_is_slowed_down_by_its_snapshots_fails(runs: dict[str, SuiteRun]) -> None:
    """It stands still for eight elevenths of the time."""
    run = runs[class_of(FAULT)]
    assert run.status == 1, run.output
    verdict = of(run, "verdicts")
    assert verdict["status"] == "fail" and "of that on a volume without" in verdict["reason"], verdict
    assert verdict["high"] < 0.5


def test_no_snapshot_and_no_content_stays(runs: dict[str, SuiteRun], api: Api) -> None:
    assert snapshots_of_own(api) == []
