"""Control operations, many at once, through the suite's own command line: on storage that does them soon, and on one
that is slow to make and delete volumes, or refuses some."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import SNAPSHOT_CONTENTS, STORAGE_CLASSES
from acceptance.cluster.waiting import wait_for
from acceptance.results.operations import OPERATIONS, Operation
from embedded_cluster.csi.part import CLASS
from selftests.bounds import HANGS_S
from selftests.integration.own_snapshots import snapshots_of_own
from selftests.integration.suite import SuiteRun, finish, left_behind, run_suite, started_suite
from selftests.lab.csi_classes import class_of, faulty_classes, retaining

# Of seven a median has an interval.
AT_ONCE = 8
ASKED = ("tests/test_control_operations.py", "--storage-operations", f"--storage-operations-at-once={AT_ONCE}")
LATE, REFUSED = "comes-and-goes-late", "one-in-four-refused"
# Below the 5 s that such a volume takes, and more than a busy machine does.
SOON_S, ANY_S = 4, 120
SLOW: tuple[Operation, ...] = ("bind", "restore", "clone", "delete")


@pytest.fixture(scope="module", autouse=True)
def with_csi(api: Api) -> None:
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")


def limits(folder: Path, **at_most_s: int) -> str:
    """The option for a file of limits on medians, and that none may fail."""
    path = folder / "limits.yaml"
    medians = "".join(
        f"      {name}: {{p50: {{at_most: {most}s, because: the test wants it so}}}}\n"
        for name, most in at_most_s.items()
    )
    path.write_text(
        "version: 1\ntiers:\n  baseline:\n    description: for a test of the suite\n    operations:\n"
        f"{medians}      failed: {{at_most: 0%, because: the test wants it so}}\n",
        encoding="utf-8",
    )
    return f"--storage-thresholds={path}"


def verdicts(run: SuiteRun, storage_class: str) -> dict[str, dict[str, Any]]:
    """Those on the class, by metric."""
    return {
        verdict["requirement"]["metric"]: verdict
        for verdict in run.results["verdicts"]
        if verdict["storage_class"] == storage_class
    }


@pytest.mark.full
def test_volumes_at_once_come_and_go_in_time(clean: Api, reports: Path, tmp_path: Path) -> None:
    """Of the local class only what it can do; what nobody asks for is not done."""
    asked = limits(tmp_path, bind=ANY_S, start=ANY_S, snapshot=ANY_S, delete=ANY_S)
    run = run_suite(*ASKED, asked, "--storage-class=local-path", "-k", "p50", reports=reports)
    assert run.status == 0, run.output
    (record,) = run.results["operations"]
    assert {operation["operation"] for operation in record["operations"]} >= {"bind", "mount", "start", "delete"}
    assert (record["rounds"], record["at_once"], record["binding_mode"]) == (1, AT_ONCE, "WaitForFirstConsumer")
    assert {name: each["status"] for name, each in verdicts(run, "local-path").items()} == {
        "bind.p50": "pass",
        "start.p50": "pass",
        "snapshot.p50": "skipped",
        "delete.p50": "pass",
    }
    assert left_behind(clean) == []


@pytest.mark.full
def test_without_being_asked_for_none_is_done(clean: Api, reports: Path) -> None:
    run = run_suite("-m", "control_operations", "--storage-class=local-path", reports=reports)
    assert run.status == 5, run.output
    assert "20 control operations at the same time were not requested; request them with --storage-with" in run.output
    assert run.results["operations"] == []


@pytest.mark.full
def test_all_operations_pass_on_storage_that_does_them(clean: Api, reports: Path, tmp_path: Path) -> None:
    told = ("bind", "mount", "start", "snapshot", "restore", "snapshots_of_one", "clone", "expand", "delete")
    run = run_suite(*ASKED, limits(tmp_path, **dict.fromkeys(told, ANY_S)), f"--storage-class={CLASS}", reports=reports)
    assert run.status == 0, run.output
    (record,) = run.results["operations"]
    counted = {operation["operation"]: operation["asked"] for operation in record["operations"]}
    assert counted == dict.fromkeys(told, AT_ONCE) | {"delete": 3 * AT_ONCE}
    assert list(record["missing"]) == ["attach"] and "the driver attaches no volumes" in record["missing"]["attach"]
    assert {name: each["status"] for name, each in verdicts(run, CLASS).items()} == {
        **{f"{name}.p50": "pass" for name in told},
        "failed": "pass",
    }
    volume = next(each for each in record["objects"] if each["kind"] == "volume")
    order = ("asked", "bound", "pod_asked", "scheduled", "mounted", "ready", "expanded", "deletion_asked", "gone")
    times = [volume["at_s"][each] for each in order if each in volume["at_s"]]
    assert len(times) == len(order) and times == sorted(times)
    page = (run.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert f"Concurrent control operations on <bdi>{CLASS}</bdi>" in page and "in the first round" in page
    assert snapshots_of_own(clean) == []
    assert left_behind(clean) == []


@pytest.mark.full
def test_slow_and_refused_operations_fail_for_that_reason(clean: Api, reports: Path, tmp_path: Path) -> None:
    """Of the slow class what comes and goes; of the other one the volumes that never come, in the driver's words."""
    late, refused = class_of(LATE), class_of(REFUSED)
    most = {name: SOON_S if name in SLOW else ANY_S for name in OPERATIONS if name not in ("attach", "mount")}
    with faulty_classes(clean, [LATE, REFUSED]):
        run = run_suite(
            *ASKED,
            limits(tmp_path, **most),
            *(f"--storage-class={late}", f"--storage-class={refused}", "--storage-timeout=40s"),
            reports=reports,
        )
    assert run.status == 1, run.output
    of_late = verdicts(run, late)
    assert {name for name, each in of_late.items() if each["status"] == "fail"} == {f"{name}.p50" for name in SLOW}
    assert of_late["failed"]["status"] == "pass"
    assert all("the whole CI misses the limit of at most 4 s" in of_late[f"{name}.p50"]["reason"] for name in SLOW)
    failed = verdicts(run, refused)["failed"]
    assert failed["status"] == "fail" and "PVC bound: 2 ProvisioningFailed" in failed["reason"]
    record = next(operation for operation in run.results["operations"] if operation["storage_class"] == refused)
    told = [each["failed"]["bind"] for each in record["objects"] if "bind" in each["failed"]]
    assert len(told) == 2 and all("no replica answers" in each for each in told)
    assert left_behind(clean) == []


@pytest.mark.full
def test_an_interrupted_trial_leaves_no_snapshot_of_a_class_that_retains_them(clean: Api, reports: Path) -> None:
    """Ctrl-C while they are taken: they go with what is behind them, and then all else."""
    options = (*ASKED, f"--storage-class={CLASS}", "-k", "snapshot.p95")
    with retaining(clean), started_suite(*options, reports=reports) as process:
        wait_for(
            "a snapshot to be taken",
            look=lambda: snapshots_of_own(clean, [SNAPSHOT_CONTENTS]),
            ready=bool,
            state=lambda seen: f"{len(seen)} contents",
            timeout_s=HANGS_S,
        )
        process.send_signal(signal.SIGINT)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output
    assert run.results["errors"] == []
    assert snapshots_of_own(clean) == []
    assert left_behind(clean) == []
