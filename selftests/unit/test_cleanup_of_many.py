"""Removing what a large run left: no request for each volume, a time-out that grows with it, short messages."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

import pytest

from acceptance.cluster import cleanup
from acceptance.cluster.api import Api
from acceptance.cluster.cleanup import Leak, remove_run
from acceptance.cluster.columns import Columns
from acceptance.cluster.leftovers import find_leftovers
from acceptance.cluster.resources import (
    ATTACHMENTS,
    CLAIMS,
    EVENTS,
    LEASES,
    NODES,
    PODS,
    STATEFUL_SETS,
    VOLUMES,
    Resource,
)

RUN_ID = "20261121-071502-4f3a9c"
NAMESPACE = f"storage-acceptance-{RUN_ID}"
MANY = 1200


class Cluster:
    """A killed run's objects. `stuck`: claims that do not go. Interrupted after so many deletions."""

    def __init__(self, *, stuck: int = 0, interrupted_after: int | None = None) -> None:
        self.asked: Counter[str] = Counter()
        self.stuck = {f"claim-{number}" for number in range(stuck)}
        self.interrupted_after = interrupted_after
        kinds = (STATEFUL_SETS, PODS, CLAIMS, VOLUMES, NODES, ATTACHMENTS, EVENTS, LEASES)
        self.there: dict[str, dict[str, Any]] = {kind.plural: {} for kind in kinds}
        self.there["namespaces"] = {NAMESPACE: item(NAMESPACE, labels={"storage-acceptance/run": RUN_ID})}
        for number in range(MANY):
            self.there["pods"][f"pod-{number}"] = item(f"pod-{number}")
            self.there["persistentvolumeclaims"][f"claim-{number}"] = item(f"claim-{number}")
            claim_ref = {"namespace": NAMESPACE, "name": f"claim-{number}"}
            volume = item(f"pv-{number}", spec={"claimRef": claim_ref, "persistentVolumeReclaimPolicy": "Delete"})
            volume["metadata"]["annotations"] = {"pv.kubernetes.io/provisioned-by": "example.com/driver"}
            self.there["persistentvolumes"][f"pv-{number}"] = volume

    def be_patient_again(self) -> None:
        pass  # it answers at once

    def group_versions(self, group: str) -> builtins.list[str]:
        return []  # of snapshots it knows nothing

    def list(self, resource: Resource, *, slim: Any = dict, **selection: Any) -> list[Any]:
        self.asked[f"list {resource.plural}"] += 1
        return [slim(each) for each in self.there[resource.plural].values()]

    def iterate(self, resource: Resource) -> Iterator[Any]:
        return iter(self.list(resource))

    def rows(self, columns: Columns[Any]) -> Iterator[Any]:
        return map(columns.of, self.list(columns.resource))

    def first(self, resource: Resource, *, at_most: int, **_: Any) -> tuple[list[Any], int]:
        self.asked[f"first {resource.plural}"] += 1
        items = list(self.there[resource.plural].values())
        return items[:at_most], max(0, len(items) - at_most)

    def find(self, resource: Resource, name: str, **_: Any) -> Any:
        self.asked[f"find {resource.plural}"] += 1
        return self.there[resource.plural].get(name)

    def delete(self, resource: Resource, name: str, **_: Any) -> None:
        self.asked[f"delete {resource.plural}"] += 1
        if self.interrupted_after is not None and self.asked.total() > self.interrupted_after:
            raise KeyboardInterrupt
        if name not in self.stuck:
            self.there[resource.plural].pop(name, None)
            if resource is CLAIMS:
                del self.there["persistentvolumes"][f"pv-{name.removeprefix('claim-')}"]


def item(name: str, *, labels: Any = None, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "labels": labels or {}, "creationTimestamp": "2026-11-21T07:15:03Z", "uid": f"uid-{name}"}
    return {"metadata": metadata, "status": {"phase": "Bound"}, **more}


def test_leftovers_are_found_without_a_request_for_each() -> None:
    cluster = Cluster()
    del cluster.there["namespaces"][NAMESPACE]
    (found,) = find_leftovers(cast(Api, cluster)).runs
    assert found.run_id == RUN_ID
    assert cluster.asked.total() < 20
    assert "PV pv-0" in found.objects and f"{MANY - 20} more PVs" in found.objects


def test_a_namespace_that_only_begins_like_a_runs_is_nobodys() -> None:
    cluster = Cluster()
    archive = item("storage-acceptance-archive", labels={"storage-acceptance/run": "archive"})
    for volume in cluster.there["persistentvolumes"].values():
        volume["spec"]["claimRef"]["namespace"] = "storage-acceptance-archive"
    for there in ({}, {"storage-acceptance-archive": archive}):
        cluster.there["namespaces"] = there
        found = find_leftovers(cast(Api, cluster))
        assert found.runs == () and len(found.strange) == MANY
        before = cluster.asked.total()
        with pytest.raises(Leak, match="is not that of a run"):
            remove_run(cast(Api, cluster), run_id="archive", timeout_s=5)
        assert cluster.asked.total() == before


def test_each_object_is_deleted_once_and_seen_to_be_gone_with_few_lists() -> None:
    cluster = Cluster()
    remove_run(cast(Api, cluster), run_id=RUN_ID, timeout_s=5)
    assert all(not there for there in cluster.there.values())
    deletions = 2 * MANY + 1
    assert cluster.asked.total() < deletions + 30


def test_a_removal_that_was_interrupted_is_taken_up_again() -> None:
    cluster = Cluster(interrupted_after=MANY + 500)
    with pytest.raises(KeyboardInterrupt):
        remove_run(cast(Api, cluster), run_id=RUN_ID, timeout_s=5)
    assert 0 < len(cluster.there["persistentvolumeclaims"]) < MANY
    cluster.interrupted_after = None
    remove_run(cast(Api, cluster), run_id=RUN_ID, timeout_s=5)
    assert all(not there for there in cluster.there.values())


def test_the_timeout_grows_with_the_number_and_few_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "PER_OBJECT_S", 0.001)
    waits: dict[str, float] = {}
    waited = cleanup.wait_for

    def wait_for(what: str, *, timeout_s: float, **more: Any) -> Any:
        waits[what.partition(" of ")[0]] = timeout_s
        return waited(what, timeout_s=min(timeout_s, 0.2), **more)

    monkeypatch.setattr(cleanup, "wait_for", wait_for)
    cluster = Cluster(stuck=30)
    with pytest.raises(Leak) as raised:
        remove_run(cast(Api, cluster), run_id=RUN_ID, timeout_s=5)
    assert waits["PVCs"] == pytest.approx(5 + 0.001 * MANY)
    assert "claim-19" in str(raised.value) and "claim-20 " not in str(raised.value)
    assert "and 10 more" in str(raised.value)
