"""What volumes can do, through the suite's own command line: seen on storage that does it, missing where it is not had,
and a fail on storage that gets it wrong."""

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import STORAGE_CLASSES
from acceptance.cluster.snapshots import Snapshot, take_snapshot, undo_snapshot
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from embedded_cluster.csi.part import CLASS
from selftests.bounds import HANGS_S
from selftests.capability_tests import capabilities_of
from selftests.integration.own_snapshots import snapshots_of_own
from selftests.integration.suite import SuiteRun, finish, left_behind, run_in, run_suite, started_suite
from selftests.integration.test_interruption import cleanup
from selftests.integration.volume_pods import a_volume, gone
from selftests.lab.csi_classes import GROUP_BY_DRIVER, RETAINING, class_of, fault_of_all, faulty_classes, retaining

FEATURES = ("tests/test_volume_features.py",)
WAITED_FOR = {
    "grows-in-name-only": (
        "test_volume_expands_while",
        "to grow in the pod that uses it (the PVC already reports 2 GiB)",
    ),
    "never-grows": ("test_volume_expands_while", "to be expanded to 2 GiB; last state: capacity 1 GiB"),
    "snapshot-never-ready": ("test_snapshot_holds", "to be ready to use; last state: readyToUse false"),
}
"""Faults of the driver that are found when a time is over; for each part of the name of the test, and what it says."""
SEEN = {
    "snapshot-taken-late": ("test_snapshot_holds", "it holds data that was written after the copy was taken"),
    "snapshot-empty": ("test_snapshot_holds", "it is empty"),
    "clone-shares": ("test_clone_is_independent", "data written to the clone appears on its source"),
    "mounts-inside": ("test_read_only", "accepted writes: a new file in a folder, a change to a file"),
    "nodes-apart": ("test_two_nodes", "the file of the first node does not appear on the second"),
}
"""Those that are seen; as above."""
OF_GROUPS = {"group-ignored": ("fs_group_owns_the_volume", "found group 0;")}
"""What is only asked of a driver that sees to fsGroup itself; as above."""
FAULTS = WAITED_FOR | SEEN | OF_GROUPS
# What is found when that is over; pods of a busy machine, too, must have started by then.
WAITED_S = 60
RUN = "20260101-000000-0123456789abcdef"
IN_USE = "snapshots-in-use"


@pytest.fixture(scope="module", autouse=True)
def classes(api: Api) -> Iterator[None]:
    """A class for each way to get it wrong, beside the cluster's own, which can do everything."""
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")
    with faulty_classes(api, list(FAULTS)), retaining(api):
        yield


@pytest.fixture(scope="module")
def good(classes: None, api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """All of it on the class that can do everything."""
    run = run_suite(*FEATURES, "--storage-class", CLASS, reports=tmp_path_factory.mktemp("features") / "reports")
    assert left_behind(api) == []
    return run


def tried(faults: Sequence[str]) -> list[str]:
    """The options of a run that tries each fault on its class, by the test that finds it."""
    options = [word for fault in faults for word in ("--storage-class", class_of(fault))]
    return [
        *options,
        "--storage-timeout",
        f"{WAITED_S}s",
        "-k",
        " or ".join(f"({FAULTS[fault][0]} and {class_of(fault)})" for fault in faults),
    ]


@pytest.fixture(scope="module")
def wrong(
    classes: None, api: Api, cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, SuiteRun]:
    """The run that tries each fault: who waits does so beside the others."""
    folders = [tmp_path_factory.mktemp("wrong") / "reports" for _ in range(3)]
    with started_suite(*FEATURES, *tried(list(WAITED_FOR)), reports=folders[0]) as process:
        seen = run_suite(*FEATURES, *tried(list(SEEN)), reports=folders[1])
        waited = finish(process, reports=folders[0])
    with fault_of_all(cluster.name, GROUP_BY_DRIVER):
        of_groups = run_suite(*FEATURES, *tried(list(OF_GROUPS)), reports=folders[2])
    runs = dict.fromkeys(WAITED_FOR, waited) | dict.fromkeys(SEEN, seen) | dict.fromkeys(OF_GROUPS, of_groups)
    for run in (waited, seen, of_groups):
        assert run.status == 1, run.output
    assert left_behind(api) == []
    return runs


def capabilities(run: SuiteRun) -> dict[str, str]:
    """The status of each capability."""
    return {capability["capability"]: capability["status"] for capability in run.results["capabilities"]}


@pytest.mark.full
def test_all_is_seen_on_storage_that_can_do_it(good: SuiteRun) -> None:
    assert good.status == 0, good.output
    assert capabilities(good) == dict.fromkeys(capabilities_of(*FEATURES), "seen")
    how = {capability["capability"]: capability["how"] for capability in good.results["capabilities"]}
    assert "while a pod used it" in how["expansion"]
    assert f"a snapshot of class {RETAINING}" in how["snapshot"]


@pytest.mark.full
def test_the_report_has_a_table_of_them(good: SuiteRun) -> None:
    html = (good.folder / "latest" / "report.html").read_text()
    assert "Capabilities of volumes" in html and "Volumes grow while they are used" in html


@pytest.mark.full
def test_no_snapshot_and_no_content_stays(good: SuiteRun, api: Api) -> None:
    assert snapshots_of_own(api, in_default=IN_USE) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_fails_for_that_reason(fault: str, wrong: dict[str, SuiteRun]) -> None:
    part, said = FAULTS[fault]
    found = wrong[fault].results
    (verdict,) = [each for each in found["verdicts"] if part in each["test"] and on(fault, each)]
    assert verdict["status"] == "fail" and said in verdict["reason"]
    (record,) = [capability for capability in found["capabilities"] if on(fault, capability)]
    assert record["status"] == "failed" and record["how"] == verdict["reason"]


def on(fault: str, record: dict[str, Any]) -> bool:
    """Whether the record is of the class with that fault."""
    return bool(record["storage_class"] == class_of(fault))


def wait_for_content(api: Api) -> None:
    wait_for(
        "a snapshot to be taken",
        look=lambda: [
            snapshot for snapshot in snapshots_of_own(api, in_default=IN_USE) if snapshot.startswith("snapcontent-")
        ],
        ready=bool,
        state=lambda seen: f"{len(seen)} contents",
        timeout_s=HANGS_S,
    )


def test_an_interrupted_run_leaves_no_snapshot(classes: None, clean: Api, reports: Path) -> None:
    """Ctrl-C once the snapshot is taken: it goes before the claim that it is of, with what is behind it."""
    options = ["--storage-class", CLASS, "-k", "test_snapshot_holds"]
    with started_suite(*FEATURES, *options, reports=reports) as process:
        wait_for_content(clean)
        process.send_signal(signal.SIGINT)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output
    assert run.results["errors"] == []
    assert snapshots_of_own(clean, in_default=IN_USE) == []


def test_what_a_run_killed_after_a_snapshot_leaves_is_removed_by_cleanup(
    classes: None, cluster: EmbeddedCluster, clean: Api, reports: Path
) -> None:
    options = ["--storage-class", CLASS, "-k", "test_snapshot_holds"]
    with started_suite(*FEATURES, *options, reports=reports) as process:
        wait_for_content(clean)
        process.kill()
        process.wait()
    run_id = run_in(reports)
    done = cleanup(cluster, "--run", run_id)
    assert done.returncode == 0 and "VolumeSnapshot" in done.stdout, done.stdout + done.stderr
    assert snapshots_of_own(clean, in_default=IN_USE) == [] and left_behind(clean) == []


@pytest.fixture
def claim(classes: None, cluster: EmbeddedCluster, api: Api) -> Iterator[Claim]:
    """In use by a pod of nobody's run."""
    a_volume(api, IN_USE, storage_class=CLASS, image=cluster.image)
    yield Claim(name=IN_USE, namespace="default", storage_class=CLASS, size=512 * 1024**2, run_id=RUN)
    gone(api, IN_USE)


def test_what_is_behind_a_snapshot_goes_though_it_was_not_yet_taken(claim: Claim, api: Api) -> None:
    """Of snapshots that are undone so soon, csi-snapshotter overlooked one in sixteen, and one in three was kept."""
    for number in range(16):
        snapshot = Snapshot(name=f"{IN_USE}-{number}", namespace="default", snapshot_class=RETAINING, run_id=RUN)
        take_snapshot(api, snapshot, claim=claim)
        wait_for_content(api)
        undo_snapshot(api, snapshot, timeout_s=60)
        assert snapshots_of_own(api, in_default=IN_USE) == []


@pytest.fixture(scope="module")
def embedded(cluster: object, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """What the cluster's own classes can do, where fs-group is expected."""
    lacks = "test_volume_expands_while or test_clone_is_independent or test_two_nodes or fs_group_owns_the_volume"
    select = f"(local-path and ({lacks})) or (replicated and (test_two_nodes or test_read_only))"
    options = ["--storage-class", "local-path", "--storage-class", "replicated", "-k", select]
    reports = tmp_path_factory.mktemp("embedded") / "reports"
    return run_suite(*FEATURES, *options, "--storage-require-capability", "fs-group,snapshot", reports=reports)


def found_on(storage_class: str, run: SuiteRun) -> dict[str, tuple[str, str]]:
    """The status of each capability of one class, and how it was found."""
    records = [capability for capability in run.results["capabilities"] if capability["storage_class"] == storage_class]
    return {record["capability"]: (record["status"], record["how"]) for record in records}


@pytest.mark.parametrize(
    ("capability", "how"),
    [
        ("expansion", "allowVolumeExpansion is not true"),
        ("clone", "with an empty volume and no error"),
        ("read-write-many", "NodePath only supports ReadWriteOnce"),
        ("fs-group", "they are of kind hostPath"),
    ],
)
def test_what_a_class_lacks_is_named(capability: str, how: str, embedded: SuiteRun) -> None:
    status, said = found_on("local-path", embedded)[capability]
    assert status == "missing" and how in said


def test_what_is_missing_is_a_skip_unless_it_is_expected(embedded: SuiteRun) -> None:
    assert embedded.status == 1, embedded.output
    assert embedded.verdict("test_volume_expands_while")["status"] == "skipped"
    assert embedded.verdict("fs_group_owns_the_volume")["status"] == "fail"
    assert "(--storage-require-capability fs-group)" in embedded.verdict("fs_group_owns_the_volume")["reason"]


def test_two_nodes_share_the_replicated_class(embedded: SuiteRun) -> None:
    found = found_on("replicated", embedded)
    assert {name: status for name, (status, _) in found.items()} == {"read-write-many": "seen", "read-only": "seen"}
