"""Which pods of a storage system are killed: those that were named, one at a time, none while another is away."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.storage_pods import Strength, kill_storage_pod, storage_pods
from acceptance.cluster.workspace import Workspace
from acceptance.results.disruptions import StoragePodsRecord
from acceptance.settings.pod_selectors import PodSelector
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.crashes.gaps import longest_gap
from acceptance.trials.crashes.trial import CrashSettings
from acceptance.trials.crashes.writer_log import WriterLog
from acceptance.trials.disruptions import storage_pods as module
from acceptance.trials.disruptions import trials
from acceptance.trials.disruptions.storage_pods import StoragePodsTrial
from acceptance.trials.disruptions.trials import StoragePodsTrials
from selftests.unit.paged_api_server import NAMESPACE, RUN_ID, Answer, Clock, PagedApiServer
from selftests.unit.storage_pod_records import kill
from selftests.unit.storage_pod_records import storage_pods as record

MANAGER, CSI = (PodSelector(namespace="vendor", labels=f"app={name}") for name in ("manager", "csi"))


@pytest.mark.parametrize(
    "text", ["", "vendor", "vendor/", "/app=x", "vendor/app", "vendor/app!=x", "Vendor/app=x", "vendor/app=x,", "*/a=b"]
)
def test_there_is_no_way_to_name_all_pods(text: str) -> None:
    with pytest.raises(ValueError, match="expected NAMESPACE/LABEL=VALUE"):
        PodSelector.parse(text)


def test_the_suites_own_pods_are_refused_and_several_labels_are_one_selector() -> None:
    with pytest.raises(ValueError, match="that namespace is the suite's own"):
        PodSelector.parse("storage-acceptance/app=suite")
    found = PodSelector.parse("longhorn-system/longhorn.io/component=instance-manager,tier=a")
    assert (found.namespace, found.labels) == ("longhorn-system", "longhorn.io/component=instance-manager,tier=a")


class Vendor(PagedApiServer):
    """The vendor's pods. A killed one is made again under `again` (its uid is new), Ready after so many looks."""

    again: str | None = "manager-9"
    looks = 2
    bodies: list[Any]

    def _answer(self, method: str, path: str, query: Any, headers: Any, body: Any) -> Answer:
        if method == "DELETE" and path.startswith("/api/v1/namespaces/vendor/pods/"):
            self.bodies.append((path.rpartition("/")[2], query, body))
            there = self.objects["pods"].get(("vendor", path.rpartition("/")[2]))
            if there and body["preconditions"]["uid"] != there["metadata"]["uid"]:
                return Answer(409, {"message": "the UID in the precondition does not match"})
            answer = super()._answer(method, path, query, headers, body)
            if self.again:
                pod(self, self.again, ready=False)
            return answer
        return super()._answer(method, path, query, headers, body)

    def come_back(self) -> None:
        """At a look: the last of them, a pod that was made again is Ready."""
        conditions = [each["status"]["conditions"][0] for each in self.objects["pods"].values()]
        waiting = [condition for condition in conditions if condition["status"] == "False"]
        if waiting:
            self.looks -= 1
            if self.looks <= 0:
                waiting[0]["status"] = "True"


def pod(server: PagedApiServer, name: str, *, ready: bool = True, owned: bool = True, **more: Any) -> Any:
    owners = [{"kind": "DaemonSet", "name": "manager", "uid": "u"}] if owned else []
    body = {
        "metadata": {"name": name, "labels": {"app": name.partition("-")[0]}, "ownerReferences": owners, **more},
        "spec": {"nodeName": f"node-{name[-1]}"},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": str(ready)}]},
    }
    return server.have("pods", body, "vendor")


def vendor(*names: str) -> Vendor:
    server = Vendor()
    server.bodies = []
    for name in names or ("manager-1", "manager-2", "csi-1"):
        pod(server, name)
    pod(server, "others-1")
    server.before_page = server.come_back
    return server


def test_only_pods_with_those_labels_are_seen_and_this_very_one_is_killed() -> None:
    server = vendor()
    assert [(storage_pod.name, storage_pod.node) for storage_pod in storage_pods(server.api, MANAGER)] == [
        ("manager-1", "node-1"),
        ("manager-2", "node-2"),
    ]
    first = storage_pods(server.api, MANAGER)[0]
    kill_storage_pod(server.api, first, MANAGER)
    ((name, query, body),) = server.bodies
    assert (name, query, body["gracePeriodSeconds"]) == ("manager-1", {}, 1)
    assert body["preconditions"] == {"uid": first.uid}


def test_one_that_is_ending_or_over_does_not_count() -> None:
    server = vendor()
    pod(server, "manager-3", deletionTimestamp="2026-11-24T12:00:00Z")
    pod(server, "manager-4")["status"]["phase"] = "Succeeded"
    found = storage_pods(server.api, MANAGER)
    assert {each.name: each.ready for each in found} == {"manager-1": True, "manager-2": True, "manager-3": False}


def test_what_selects_nothing_or_is_never_made_again_is_told_before_anything_is_killed() -> None:
    server = vendor()
    pod(server, "alone-1", owned=False)
    alone, none = (PodSelector(namespace="vendor", labels=f"app={name}") for name in ("alone", "none"))
    with pytest.raises(EnvironmentFailure) as raised:
        Strength.measure(server.api, [MANAGER, alone, none])
    assert "pod alone-1 of vendor/app=alone has no owner" in str(raised.value)
    assert "no pod in namespace vendor has the labels app=none" in str(raised.value)
    assert server.bodies == []


def test_strength_is_back_when_as_many_are_ready_and_the_killed_one_is_gone() -> None:
    server = vendor()
    strength = Strength.measure(server.api, [MANAGER, CSI])
    first = storage_pods(server.api, MANAGER)[0]
    assert strength.lacking(server.api) == []
    assert strength.lacking(server.api, without=first.uid) == ["1 of 2 pods vendor/app=manager are Ready"]
    server.objects["pods"]["vendor", "csi-1"]["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    assert strength.lacking(server.api) == ["0 of 1 pods vendor/app=csi are Ready"]


class PlayedWriter:
    """Records come all the time; with `error` none come any more."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.acknowledged_count, self.node, self.last_s = error, 40, "node-1", 0.0
        self.moments = [(100.0, 40), (100.1, 41), (103.1, 42), (103.2, 43)]
        self.arrivals: list[Any] = []

    def write_for(self, seconds: float, *, records: int) -> None:
        if self.error:
            raise self.error


def trial(server: Vendor, monkeypatch: pytest.MonkeyPatch, *, selector: PodSelector = MANAGER) -> StoragePodsTrial:
    Clock(monkeypatch)
    monkeypatch.setattr(StoragePodsTrial, "_use_new_volume", lambda self, pod, node: module.time.monotonic() + 4.0)
    workspace = Workspace(api=server.api, run_id=RUN_ID, namespace=NAMESPACE, image="i", timeout_s=20.0)
    return StoragePodsTrial(
        workspace=workspace,
        claim=workspace.claim("c", storage_class="fast", size=1),
        selector=selector,
        strength=Strength.measure(server.api, [MANAGER, CSI]),
        settings=CrashSettings(write_s=1, failover_s=1),
        say=lambda text: None,
    )


def killed(server: Vendor, monkeypatch: pytest.MonkeyPatch, *, error: Exception | None = None) -> Any:
    asked = trial(server, monkeypatch)
    first = storage_pods(server.api, MANAGER)[0]
    return asked._kill(first, PlayedWriter(error), node=None)  # type: ignore[arg-type]


def test_a_kill_is_over_when_another_pod_is_ready_and_a_new_volume_was_used(monkeypatch: pytest.MonkeyPatch) -> None:
    server = vendor()
    server.looks = 5
    found = killed(server, monkeypatch)
    assert [name for name, _, _ in server.bodies] == ["manager-1"]
    assert found.ready_s is not None and found.ready_s > 0 and found.problem == ""
    assert found.gap_s == pytest.approx(3.0) and found.new_volume_s == pytest.approx(4.0)


def test_a_pod_that_does_not_come_back_is_a_problem_and_no_new_volume_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = vendor()
    server.again = None
    found = killed(server, monkeypatch)
    assert (found.ready_s, found.new_volume_s) == (None, None)
    assert "a replacement for pod manager-1" in found.problem
    assert "1 of 2 pods vendor/app=manager are Ready" in found.problem


def test_while_another_pod_is_away_nothing_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    server = vendor()
    asked = trial(server, monkeypatch)
    del server.objects["pods"]["vendor", "csi-1"]
    with pytest.raises(EnvironmentFailure, match="0 of 1 pods vendor/app=csi are Ready"):
        asked._kill(storage_pods(server.api, MANAGER)[0], PlayedWriter(), node=None)  # type: ignore[arg-type]
    assert server.bodies == []


def test_a_writer_that_breaks_off_is_told_and_an_environment_that_does_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = killed(vendor(), monkeypatch, error=StorageFailure("Input/output error"))
    assert found.broke == "Input/output error" and found.problem == ""
    with pytest.raises(EnvironmentFailure):
        killed(vendor(), monkeypatch, error=EnvironmentFailure("the image lacks sync"))


def test_after_what_did_not_come_back_no_selector_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    server, kept = vendor(), list[StoragePodsRecord]()
    workspace = Workspace(api=server.api, run_id=RUN_ID, namespace=NAMESPACE, image="i", timeout_s=1.0)
    found = StoragePodsTrials(
        workspace,
        selectors=[MANAGER, CSI],
        settings=CrashSettings(write_s=1, failover_s=1),
        say=lambda text: None,
        keep=kept.append,
    )
    monkeypatch.setattr(trials, "create_claim", lambda api, claim: None)
    monkeypatch.setattr(StoragePodsTrials, "_remove", lambda self, claim, has_failed: None)
    monkeypatch.setattr(StoragePodsTrial, "run", lambda self: record(kill(problem="gone")))
    assert len(found.records("fast")) == 1 == len(kept)
    monkeypatch.setattr(StoragePodsTrial, "run", lambda self: record(selector=str(self.selector)))
    assert [each.selector for each in found.records("slow")] == ["vendor/app=manager", "vendor/app=csi"]


def test_gaps_are_between_records_that_follow_each_other() -> None:
    moments = [(1.0, 1), (9.0, 2), (9.1, 3), (11.1, 4), (30.0, 7), (30.2, 8)]
    assert longest_gap(moments, since=1) == pytest.approx(8.0)
    assert longest_gap(moments, since=2) == pytest.approx(2.0), "of 5 and 6 nobody heard"
    assert longest_gap(moments, since=8) is None


def test_the_log_tells_when_records_became_durable_where_the_pod_can_tell() -> None:
    log = WriterLog()
    log.feed(b"storage-acceptance: durable 1 812.51\nstorage-acceptance: durable 2\nstorage-acceptance: durable 3 8x\n")
    assert (log.acknowledged_count, log.moments) == (2, [(812.51, 1)])
    assert "durable 3 8x" in log.other_lines
    log.feed(b"storage-acceptance: durable 1 812.51\nstorage-acceptance: durable 3 813.0\n")
    assert log.moments == [(812.51, 1), (813.0, 3)]


def test_the_claim_and_its_pods_go_unless_they_are_to_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[Claim] = []
    monkeypatch.setattr(trials, "remove_claim", lambda api, claim, timeout_s: gone.append(claim))
    server = vendor()
    workspace = Workspace(api=server.api, run_id=RUN_ID, namespace=NAMESPACE, image="i", timeout_s=1.0)
    for keep in (True, False):
        settings = CrashSettings(write_s=1, failover_s=1, keep=keep)
        found = StoragePodsTrials(workspace, selectors=[], settings=settings, say=print, keep=print)
        found._remove(workspace.claim("c", storage_class="fast", size=1), has_failed=True)
    assert len(gone) == 1
