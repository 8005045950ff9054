"""Snapshots of volumes that are written to, and groups of them, through the suite's own command line: of one moment on
storage that takes them well, and a fail for its own reason on storage that takes them of an earlier one, or of two."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.group_snapshots import GroupSnapshot, take_group_snapshot, undo_group_snapshot
from acceptance.cluster.objects import GROUP_LABEL
from acceptance.cluster.resources import (
    CLAIMS,
    GROUP_CONTENTS,
    GROUP_SNAPSHOTS,
    SNAPSHOT_CONTENTS,
    STORAGE_CLASSES,
    VOLUME_SNAPSHOTS,
    Resource,
)
from acceptance.cluster.snapshots import contents_behind
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from embedded_cluster.csi.part import CLASS
from selftests.bounds import HANGS_S
from selftests.integration.own_snapshots import snapshots_of_own
from selftests.integration.suite import SuiteRun, finish, left_behind, run_in, run_suite, started_suite
from selftests.integration.test_interruption import cleanup
from selftests.integration.volume_pods import a_volume, gone
from selftests.lab.csi_classes import RETAINING, class_of, faulty_classes, retaining_groups

pytestmark = pytest.mark.full

# Longer than it takes the driver to remember the earlier state that a snapshot is of, where it does that.
TESTS = ("tests/test_snapshots_in_use.py", "--storage-timeout", "90s", "--storage-durability-time", "8s")
ONE, GROUP = "test_snapshot_of_a_volume", "test_group_snapshot"
EARLY, HALVES, APART = "snapshot-taken-early", "snapshot-two-moments", "group-two-moments"
FAULTS = {
    EARLY: (ONE, "records that were acknowledged before it was requested"),
    HALVES: (ONE, "is not crash-consistent"),
    APART: (GROUP, "is not crash-consistent"),
}
"""What the driver gets wrong, which test finds it, and what the verdict says."""
VOLUMES = {ONE: 1, GROUP: 2}
KINDS = (GROUP_SNAPSHOTS, GROUP_CONTENTS, VOLUME_SNAPSHOTS, SNAPSHOT_CONTENTS)
RUN = "20260101-000000-0123456789abcdef"
IN_USE = "groups-in-use"


@pytest.fixture(scope="module", autouse=True)
def classes(api: Api) -> Iterator[None]:
    """A class for each way to get it wrong; what is behind groups would be retained."""
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")
    with faulty_classes(api, list(FAULTS)), retaining_groups(api):
        yield


@pytest.fixture(scope="module")
def runs(classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, SuiteRun]]:
    """The run on the class that takes good snapshots, and the one on those that do not, by class."""
    wrong = [class_of(fault) for fault in FAULTS]
    folder = tmp_path_factory.mktemp("snapshots")
    good = run_suite(*TESTS, "--storage-class", CLASS, reports=folder / "good")
    named = [word for name in wrong for word in ("--storage-class", name)]
    bad = run_suite(*TESTS, *named, reports=folder / "bad")
    yield {CLASS: good, **dict.fromkeys(wrong, bad)}
    assert left_behind(api) == []


def verdict_of(run: SuiteRun, test: str, storage_class: str) -> dict[str, Any]:
    """The verdict of that test on the class."""
    verdicts = [verdict for verdict in run.results["verdicts"] if verdict["storage_class"] == storage_class]
    (found,) = [verdict for verdict in verdicts if f"::{test}" in verdict["test"]]
    return dict(found)


def record_of(run: SuiteRun, test: str, storage_class: str) -> dict[str, Any]:
    """What the snapshot of that test on the class held."""
    records = [snapshot for snapshot in run.results["snapshots"] if snapshot["storage_class"] == storage_class]
    (found,) = [record for record in records if record["volumes"] == VOLUMES[test]]
    return dict(found)


@pytest.mark.parametrize("test", VOLUMES)
def test_a_snapshot_of_a_volume_in_use_is_of_one_moment(test: str, runs: dict[str, SuiteRun]) -> None:
    run = runs[CLASS]
    assert run.status == 0, run.output
    record = record_of(run, test, CLASS)
    assert (record["lost"], record["holes"]) == ([], [])
    assert record["whole"] >= record["acknowledged"] >= 20
    assert [pace["stage"] for pace in record["paces"]] == ["before", "taken", "restored", "deleted"]
    assert all(pace["records"] for pace in record["paces"] if pace["stage"] in ("before", "restored"))
    html = (run.folder / "latest" / "report.html").read_text()
    assert "Content of snapshots of volumes in use" in html


def test_the_default_class_of_groups_is_used(runs: dict[str, SuiteRun]) -> None:
    """It would retain what is behind them, and all goes all the same."""
    assert record_of(runs[CLASS], GROUP, CLASS)["snapshot_class"] == RETAINING


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_fails_for_that_reason(fault: str, runs: dict[str, SuiteRun]) -> None:
    run, storage_class = runs[class_of(fault)], class_of(fault)
    assert run.status == 1, run.output
    test, said = FAULTS[fault]
    verdict = verdict_of(run, test, storage_class)
    assert verdict["status"] == "fail" and said in verdict["reason"]
    (other,) = VOLUMES.keys() - {test}
    assert verdict_of(run, other, storage_class)["status"] == "pass", "each of them is wrong in one thing alone"


@pytest.mark.parametrize("fault", [HALVES, APART])
def test_a_snapshot_of_two_moments_lacks_nothing_but_its_order(fault: str, runs: dict[str, SuiteRun]) -> None:
    """What was acknowledged before is in both parts: only that a later record is there without one before it tells."""
    record = record_of(runs[class_of(fault)], FAULTS[fault][0], class_of(fault))
    assert record["lost"] == [] and record["holes"]


def test_of_a_group_of_two_moments_the_volume_is_told(runs: dict[str, SuiteRun]) -> None:
    reason = verdict_of(runs[class_of(APART)], GROUP, class_of(APART))["reason"]
    assert "(all on volume 1 of 2)" in reason or "(all on volume 2 of 2)" in reason


def test_nothing_stays(runs: dict[str, SuiteRun], api: Api) -> None:
    assert snapshots_of_own(api, KINDS) == []


def wait_there(api: Api, kind: Resource) -> None:
    wait_for(
        f"{kind.plural} of the run",
        look=lambda: snapshots_of_own(api, [kind]),
        ready=bool,
        state=lambda seen: f"{len(seen)} there",
        timeout_s=HANGS_S,
    )


def test_a_class_without_groups_is_skipped_by_what_it_lacks(clean: Api, reports: Path) -> None:
    run = run_suite(*TESTS, "--storage-class", "local-path", "-k", GROUP, reports=reports)
    verdict = verdict_of(run, GROUP, "local-path")
    assert verdict["status"] == "skipped", run.output
    assert "no VolumeGroupSnapshotClass names driver rancher.io/local-path" in verdict["reason"]
    assert snapshots_of_own(clean, KINDS) == []


# Of the class whose group takes some seconds: so the first is while it is taken.
@pytest.mark.parametrize("kind", [GROUP_CONTENTS, SNAPSHOT_CONTENTS], ids=["content", "members"])
def test_an_interrupted_run_leaves_nothing_of_a_group(kind: Resource, clean: Api, reports: Path) -> None:
    options = ["--storage-class", class_of(APART), "-k", GROUP]
    with started_suite(*TESTS, *options, reports=reports) as process:
        wait_there(clean, kind)
        process.send_signal(signal.SIGINT)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output
    assert run.results["errors"] == []
    assert snapshots_of_own(clean, KINDS) == []


@pytest.mark.parametrize("kind", [GROUP_CONTENTS, SNAPSHOT_CONTENTS], ids=["content", "members"])
def test_what_a_run_killed_during_a_group_leaves_is_removed_by_cleanup(
    kind: Resource, cluster: EmbeddedCluster, clean: Api, reports: Path
) -> None:
    options = ["--storage-class", class_of(APART), "-k", GROUP]
    with started_suite(*TESTS, *options, reports=reports) as process:
        wait_there(clean, kind)
        process.kill()
        process.wait()
    done = cleanup(cluster, "--run", run_in(reports))
    assert done.returncode == 0 and "VolumeGroupSnapshot" in done.stdout, done.stdout + done.stderr
    assert snapshots_of_own(clean, KINDS) == [] and left_behind(clean) == []


@pytest.fixture
def claim(cluster: EmbeddedCluster, api: Api) -> Iterator[Claim]:
    """In use by a pod of nobody's run."""
    a_volume(api, IN_USE, storage_class=CLASS, image=cluster.image)
    yield Claim(name=IN_USE, namespace="default", storage_class=CLASS, size=512 * 1024**2, run_id=RUN)
    gone(api, IN_USE)


def test_what_is_behind_a_group_goes_though_it_was_not_yet_taken(claim: Claim, api: Api) -> None:
    """A group of one, given up a little later each time: before its content is there, until its member is ready."""
    for number in range(12):
        name = f"{IN_USE}-{number}"
        api.patch(CLAIMS, claim.name, {"metadata": {"labels": {GROUP_LABEL: name}}}, namespace="default")
        group = GroupSnapshot(name=name, namespace="default", group_class=RETAINING, run_id=RUN)
        take_group_snapshot(api, group)
        time.sleep(number * 0.1)
        undo_group_snapshot(api, group, timeout_s=60)
        assert snapshots_of_own(api, (GROUP_SNAPSHOTS, GROUP_CONTENTS), in_default=IN_USE) == []
        assert contents_behind(api, claim) == []
        taken = [each["spec"]["source"] for each in api.list(VOLUME_SNAPSHOTS, namespace="default")]
        assert not [each for each in taken if each.get("persistentVolumeClaimName") == claim.name]
