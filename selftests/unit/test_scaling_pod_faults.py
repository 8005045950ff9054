"""What is wrong with a load pod is told at once, naming it: storage that failed from a lab that broke."""

from __future__ import annotations

from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.workspace import Workspace
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials.scaling import pod_faults
from acceptance.trials.scaling.load_plan import LoadPlan
from acceptance.trials.scaling.pod_faults import PodFaults
from acceptance.trials.scaling.pod_log import PodLog

NAME = "scale-fast-1"


class SilentApi:
    """Has no events to tell."""

    def list(self, *asked: object, **selection: object) -> list[Any]:
        return []


def faults() -> PodFaults:
    api = cast(Api, SilentApi())
    workspace = Workspace(api=api, run_id="r", namespace="ns", image="fio:1", timeout_s=60)
    plan = LoadPlan(
        name="scale",
        storage_class="fast",
        volume_size=2**27,
        test_size=2**26,
        most_pods=3,
        profiles=[],
        rate_metrics={},
    )
    return PodFaults(api, plan.set_plan(workspace))


def pod(phase: str = "Running", *, restarts: int = 0, unscheduled: str = "", **status: Any) -> dict[str, Any]:
    conditions = [{"type": "PodScheduled", "status": "False", "message": unscheduled}] if unscheduled else []
    container = {"name": "load", "restartCount": restarts, "state": {"running": {}}}
    return {
        "metadata": {"name": NAME, "resourceVersion": "1"},
        "spec": {"nodeName": "n", "containers": [{"name": "load", "resources": {}}]},
        "status": {"phase": phase, "conditions": conditions, "containerStatuses": [container], **status},
    }


def log(*marks: str, said: str = "") -> PodLog:
    found = PodLog(prefill_jobs=())
    found.feed(said.encode(), arrived_s=0)
    for mark in marks:
        found.feed(f"\nstorage-acceptance: {mark}\n".encode(), arrived_s=0)
    return found


def fault(seen: dict[str, Any], printed: PodLog) -> AcceptanceError | None:
    return faults().of(NAME, seen, printed)


def test_a_pod_that_does_well_has_none() -> None:
    assert fault(pod(), log("ready", "begin 1", "end 1 0")) is None
    assert faults().of(NAME, None, log()) is None


@pytest.mark.parametrize(
    ("printed", "kind", "said"),
    [
        (log("ready", "begin 2", "end 2 137"), EnvironmentFailure, "failed in step 2: fio was killed"),
        (log("ready", "begin 2", "end 2 1"), StorageFailure, "failed in step 2: status 1"),
        (log("unwritten 1", said="fio: No space left on device\n"), StorageFailure, "cannot be written in full"),
        (log("refused 4", said="free: 1 KiB\n"), StorageFailure, "too little space"),
        (log("refused 5", said="free: 1 KiB\n"), EnvironmentFailure, "disk that is shared"),
        (log("restarted"), EnvironmentFailure, "and restarted: "),
        (log("ready", "over"), EnvironmentFailure, "gave up: no new step within 938 s"),
        (log("ready", "begin 1", "end 1 0", "over"), EnvironmentFailure, "gave up: no new step"),
    ],
)
def test_what_a_pod_prints_tells(printed: PodLog, kind: type[AcceptanceError], said: str) -> None:
    found = fault(pod(), printed)
    assert type(found) is kind
    assert NAME in str(found) and said in str(found)


def test_a_pod_that_was_started_again_or_taken_away_is_no_fault_of_the_storage() -> None:
    for seen in (pod(restarts=1), pod("Failed", reason="Evicted", message="disk pressure")):
        assert isinstance(fault(seen, log("ready")), EnvironmentFailure)


def test_a_container_that_the_cluster_added_may_be_started_again() -> None:
    seen = pod()
    added = {"name": "mesh", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
    seen["status"]["containerStatuses"].insert(0, added)
    assert fault(seen, log("ready", "begin 1")) is None


def test_a_pod_that_was_deleted_is_named() -> None:
    watched = faults()
    watched.deleted_names.add(NAME)
    assert f"pod {NAME} on StorageClass fast was deleted" in str(watched.of(NAME, None, log()))


def test_no_room_is_told_when_it_lasts_with_the_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = faults()
    seen = pod("Pending", unscheduled="0/3 nodes are available: 3 Insufficient cpu.")
    assert watched.of(NAME, seen, log()) is None
    monkeypatch.setattr(pod_faults, "NO_ROOM_FOR_S", 0.0)
    assert "no room on any node: 0/3 nodes are available: 3 Insufficient cpu." in str(watched.of(NAME, seen, log()))


def test_waiting_for_a_volume_is_no_want_of_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_faults, "NO_ROOM_FOR_S", 0.0)
    seen = pod("Pending", unscheduled="pod has unbound immediate PersistentVolumeClaims")
    assert fault(seen, log()) is None
