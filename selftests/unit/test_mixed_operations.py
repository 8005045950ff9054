"""Operations of different kinds at the same time: all are requested together, failures are named, nothing is left."""

from __future__ import annotations

from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, PODS, SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS, VOLUMES
from acceptance.cluster.workspace import Workspace
from acceptance.judging.figures import judge_figure
from acceptance.limits.simultaneous import MIXED_OPERATIONS
from acceptance.results.figures import FiguresRecord
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials import mixed_operations as module
from acceptance.trials.crashes.acknowledged_records import record
from acceptance.trials.crashes.reading import Reading
from acceptance.trials.mixed_operations import (
    FAILED,
    SLOWEST,
    WRITE_GAP,
    MixedOperations,
    MixedOutcome,
    figures_of,
    operations_of_each,
    require_intact,
)
from acceptance.trials.operations import mixed, observer
from selftests.unit.played_operations import RUN, PlayedCluster, storage_class

TOKEN, OTHER = "0123456789abcdef", "fedcba9876543210"
CREATE = "create persistentvolumeclaims operations-mixed-"
KINDS = ["bind", "snapshot", "restore", "clone", "expand", "delete"]
LIMITS = {
    path: MIXED_OPERATIONS.limit(path, bound, because="the test wants it so")
    for path, bound in ((FAILED, 0.0), (SLOWEST, 60.0), (WRITE_GAP, 30.0))
}


class PlayedWriter:
    """Stands for `Writer`: records at these moments; with `error` none come any more."""

    def __init__(self, moments: list[tuple[float, int]], error: StorageFailure | None) -> None:
        self.moments, self.arrivals, self.error = moments, moments, error
        self.token, self.node, self.last_s = TOKEN, "node-1", float("inf")
        self.plan = None
        self.acknowledged_count = moments[0][1]

    def __enter__(self) -> PlayedWriter:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write_for(self, seconds: float, *, records: int) -> None:
        if records > module.LEAST_RECORDS:
            self.acknowledged_count = self.moments[-1][1]
            if self.error is not None:
                raise self.error

    def fault(self) -> StorageFailure | None:
        return self.error

    def wait_over(self) -> None:
        pass


@pytest.fixture
def mix(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the mixed operations on a played cluster, with a writer whose records `read` returns."""

    def run(
        cluster: PlayedCluster,
        *,
        at_once: int = 12,
        timeout_s: float = 5.0,
        moments: list[tuple[float, int]] | None = None,
        error: StorageFailure | None = None,
        lost: int = 0,
        **of_class: Any,
    ) -> MixedOutcome:
        writer = PlayedWriter(moments or [(10.0, 1), (10.2, 2), (10.3, 3)], error)
        content = b"".join(
            record(number, token=OTHER if number == lost else TOKEN)
            for number in range(1, (moments or [(0, 3)])[-1][1] + 1)
        )
        monkeypatch.setattr(observer, "Watch", cluster.watched)
        monkeypatch.setattr(module, "Writer", lambda *_, **__: writer)
        monkeypatch.setattr(module, "end_pod", lambda *_, **__: None)
        monkeypatch.setattr(module, "reader_plan", lambda *_, **__: None)
        monkeypatch.setattr(module, "read_records", lambda *_: Reading(node="node-1", content=content))
        monkeypatch.setattr(module.Bench, "claim", lambda self, part: self.unmade_claim(part))
        return MixedOperations(
            workspace=Workspace(
                api=cast(Api, cluster), run_id=RUN, namespace="run", image="fio:1", timeout_s=timeout_s
            ),
            storage_class=storage_class(**of_class),
            at_once=at_once,
            node=None,
            keep=False,
            say=lambda _: None,
        ).run()

    return run


def judged(outcome: MixedOutcome) -> dict[str, str]:
    figures = figures_of(outcome, storage_class="fast")
    return {path: judge_figure(figures, limit).status for path, limit in LIMITS.items()}


def left(cluster: PlayedCluster) -> list[str]:
    kinds = (CLAIMS, PODS, VOLUMES, VOLUME_SNAPSHOTS, SNAPSHOT_CONTENTS)
    return [item["metadata"]["name"] for kind in kinds for item in cluster.of(kind)]


@pytest.mark.parametrize("binding_mode", ["Immediate", "WaitForFirstConsumer"])
def test_all_kinds_are_requested_together_and_nothing_is_left(
    mix: Any, binding_mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mixed, "at_once", lambda requests: [request() for request in requests])  # in their order
    cluster = PlayedCluster()
    outcome = mix(cluster, binding_mode=binding_mode)
    assert [(kind.operation, kind.requested, kind.failed) for kind in outcome.kinds] == [(name, 2, 0) for name in KINDS]
    require_intact(outcome, storage_class="fast")
    assert set(judged(outcome).values()) == {"pass"}
    assert left(cluster) == []
    # Requests of all kinds alternate, instead of one kind after the other.
    marks = {"create": f"{CREATE}new", "clone": f"{CREATE}cloned", "expand": "patch persistentvolumeclaims"}
    places = {kind: [n for n, line in enumerate(cluster.asked) if mark in line] for kind, mark in marks.items()}
    firsts, lasts = ([end(numbers) for numbers in places.values()] for end in (min, max))
    assert max(firsts) < min(lasts), places


@pytest.mark.parametrize(
    ("what", "kind", "name"),
    [
        ("bound", "bind", "mixed-new-fast-1-2"),
        ("taken", "snapshot", "mixed-snapshot-fast-1-2-snapshot-2"),
        ("bound", "restore", "mixed-restored-fast-1-2"),
        ("bound", "clone", "mixed-cloned-fast-1-2"),
        ("expanded", "expand", "mixed-expand-fast-1-2"),
        ("gone", "delete", "mixed-delete-fast-1-2"),
    ],
)
def test_an_operation_that_never_ends_fails_with_the_clusters_reason(mix: Any, what: str, kind: str, name: str) -> None:
    outcome = mix(PlayedCluster(never={what: name}), timeout_s=0.5)
    assert {each.operation: each.failed for each in outcome.kinds} == dict.fromkeys(KINDS, 0) | {kind: 1}
    (reasons,) = [each.reasons for each in outcome.kinds if each.reasons]
    assert reasons == ("ProvisioningFailed: no replica answers",)
    assert judged(outcome) == {FAILED: "fail", SLOWEST: "inconclusive", WRITE_GAP: "pass"}


def test_volumes_that_cannot_be_created_beforehand_are_no_finding_of_the_mixture(mix: Any) -> None:
    with pytest.raises(StorageFailure, match=r"only 9 of 10 volumes of StorageClass fast were created"):
        mix(PlayedCluster(never={"bound": "mixed-clone-fast-1-1"}), timeout_s=0.5)


def test_writes_that_stall_meanwhile_fail(mix: Any) -> None:
    outcome = mix(PlayedCluster(), moments=[(10.0, 1), (10.2, 2), (50.2, 3)])
    assert outcome.writes.gap_s == pytest.approx(40.0)
    assert judged(outcome) == {FAILED: "pass", SLOWEST: "pass", WRITE_GAP: "fail"}


def test_lost_records_and_failed_writes_fail(mix: Any) -> None:
    with pytest.raises(
        StorageFailure, match=r"1 of 3 acknowledged records of another volume were lost or altered: 2 to 2"
    ):
        require_intact(mix(PlayedCluster(), lost=2), storage_class="fast")
    failed = mix(PlayedCluster(), error=StorageFailure("record 3: Input/output error"))
    with pytest.raises(StorageFailure, match="writes failed: record 3: Input/output error"):
        require_intact(failed, storage_class="fast")


def test_kinds_that_a_class_lacks_are_left_out_and_named(mix: Any) -> None:
    outcome = mix(PlayedCluster(csi=False), allow_expansion=False)
    assert [kind.operation for kind in outcome.kinds] == ["bind", "snapshot", "restore", "delete"]
    assert outcome.left_out.keys() == {"expand", "clone"}
    rows = figures_of(outcome, storage_class="fast").rows
    assert [row["Operation"] for row in rows if str(row["Problem"]).startswith("left out")] == ["expand", "clone"]


def test_a_class_without_other_kinds_is_skipped(mix: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_snapshots(*_: object) -> str:
        raise Unsupported("no class of snapshots")

    monkeypatch.setattr("acceptance.trials.operations.runner.snapshot_class_of", without_snapshots)
    cluster = PlayedCluster()
    with pytest.raises(Unsupported, match="several kinds of operations"):
        mix(cluster, allow_expansion=False, reclaim_policy="Retain")
    assert cluster.asked == []


def test_the_number_of_all_operations_is_shared_by_the_kinds() -> None:
    assert [operations_of_each(number) for number in (1, 6, 13, 20)] == [1, 1, 2, 3]


def test_the_record_is_one_of_the_control_plane(mix: Any) -> None:
    found = figures_of(mix(PlayedCluster()), storage_class="fast")
    assert FiguresRecord.model_validate_json(found.model_dump_json()) == found
    assert found.subject == "control-plane" and len(found.rows) == len(KINDS)
