"""Access modes: what a second pod, or a second node, that gets something else than it was promised is told as."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from acceptance.cluster import pods
from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import PODS, VOLUMES
from acceptance.text.errors import StorageFailure
from acceptance.trials.features import one_pod, read_only_many
from selftests.unit.test_volumes_and_pods import PLAN, RUNS, PlayedBench, kept, tried

MARK = "the mark"
KEPT = kept("1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode")
WAITS = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}]}
ENDED = {"phase": "Succeeded", "containerStatuses": [{"name": "load", "state": {"terminated": {"exitCode": 0}}}]}


class StartingBench(PlayedBench):
    """Pods of their own names, the first of which runs; `says` is what each prints."""

    def __init__(self, *says: str) -> None:
        super().__init__(says=[(0, each) for each in says])
        self.planned = 0
        self.api.create(VOLUMES, {"metadata": {"name": "pv"}, "spec": {"csi": {}}})

    def plan(self, *claims: Claim, script: str, node: str | None = None, **_: str) -> PodPlan:
        self.planned += 1
        return replace(PLAN, name=str(self.planned - 1), claims=claims)

    def start(self, claim: Claim, script: str, **_: str) -> PodPlan:
        return self.start_plan(self.plan(claim, script=script))

    def start_plan(self, plan: PodPlan) -> PodPlan:
        self.api.create(PODS, {"metadata": {"name": plan.name}, "spec": {}, "status": RUNS})
        return plan

    def ask_for(self, plan: PodPlan) -> None:
        self.api.create(PODS, {"metadata": {"name": plan.name}, "spec": {}, "status": KEPT})

    def output_of(self, plan: PodPlan) -> str:
        return self.says[int(plan.name)][1]


@pytest.fixture(autouse=True)
def played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_only_many, "another_node", lambda *_: "n2")
    monkeypatch.setattr(read_only_many, "write_before", lambda *_: None)
    monkeypatch.setattr(read_only_many, "wait_ended", lambda *_, **__: None)
    monkeypatch.setattr(pods, "recent_events", lambda *_, **__: [])
    for trial in (one_pod, read_only_many):
        monkeypatch.setattr(trial, "new_mark", lambda: MARK)


def after_the_first(status: dict[str, Any], bench: StartingBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What becomes of the second pod when the first is ended."""

    def end_pod(*_: object, **__: object) -> None:
        bench.api.delete(PODS, "1")
        bench.api.create(PODS, {"metadata": {"name": "1"}, "spec": {}, "status": status})

    monkeypatch.setattr(one_pod, "end_pod", end_pod)


def test_a_second_pod_that_waits_and_reads_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = StartingBench("written\n", f"{MARK}\n")
    after_the_first(ENDED, bench, monkeypatch)
    assert "waited while the first used a ReadWriteOncePod volume" in one_pod.try_one_pod(tried(bench))


def test_a_volume_that_is_kept_for_its_first_pod_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = StartingBench("written\n", "")
    after_the_first(WAITS, bench, monkeypatch)
    with pytest.raises(StorageFailure, match="to end; last state: phase Pending"):
        one_pod.try_one_pod(tried(bench))


def test_two_nodes_that_read_and_cannot_write_are_seen() -> None:
    bench = StartingBench(f"read {MARK}\ndone\n", f"read {MARK}\n")
    assert "all writes were refused" in read_only_many.try_read_only_many(tried(bench))


def test_a_node_that_has_not_looked_yet_is_waited_for() -> None:
    with pytest.raises(
        StorageFailure, match=r"a pod on n1 to read a ReadOnlyMany volume .* last state: nothing printed"
    ):
        read_only_many.try_read_only_many(tried(StartingBench("", f"read {MARK}\n")))


def test_a_first_pod_that_has_not_written_yet_is_waited_for() -> None:
    with pytest.raises(StorageFailure, match=r"the first pod on a ReadWriteOncePod volume .* to write to it"):
        one_pod.try_one_pod(tried(StartingBench("", f"{MARK}\n")))


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("read cat: can't open\n", "does not show the file on n2: read cat: can't open"),
        (f"read {MARK}\ntook a new file\n", "accepted writes on n2: a new file"),
    ],
)
def test_a_node_that_reads_something_else_or_takes_a_write_is_told(second: str, said: str) -> None:
    with pytest.raises(StorageFailure, match=said):
        read_only_many.try_read_only_many(tried(StartingBench(f"read {MARK}\ndone\n", second)))
