"""What killed runs left of group snapshots: found, and removed in the order in which it goes."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster.departing import Departing
from acceptance.cluster.leftovers import find_leftovers
from acceptance.cluster.resources import NAMESPACES, Object, Resource
from acceptance.cluster.run_snapshots import RunSnapshots
from acceptance.text.errors import StorageFailure
from selftests.unit.test_group_snapshots import NAMESPACE, RUN_ID, Cluster


@pytest.mark.parametrize("heard", [True, False])
def test_a_killed_runs_groups_are_removed_before_their_members(heard: bool) -> None:
    cluster, problems = Cluster(heard=heard), []
    cluster.taken("data", "log", policy="Retain")

    def attempt(step: Any) -> None:
        try:
            step()
        except StorageFailure as error:
            problems.append(str(error))

    def empty(resource: Resource, word: str) -> None:
        for each in cluster.list(resource):
            cluster.delete(resource, each["metadata"]["name"])

    def see_gone(what: str, going: Departing[str], count: int) -> None:
        assert going.look().is_gone, what

    RunSnapshots(api=cluster.api(), namespace=NAMESPACE, attempt=attempt, empty=empty, see_gone=see_gone).delete()
    assert problems == [] and cluster.left() == []
    deleted = [each for each in cluster.changed if each.startswith("delete volume")]
    assert deleted[0] == "delete volumegroupsnapshots both"


class Listed(Cluster):
    """The same, as what finds leftovers reads it."""

    def rows(self, columns: Any) -> list[Any]:
        return []

    def list(self, resource: Resource, **selection: Any) -> list[Object]:
        selection.pop("labels", None)
        return [] if resource == NAMESPACES else super().list(resource, **selection)


def test_a_group_whose_namespace_is_gone_is_a_leak() -> None:
    cluster = Listed()
    cluster.taken()
    (found,) = find_leftovers(cluster.api()).runs
    assert found.run_id == RUN_ID
    assert {"VolumeGroupSnapshot both", "VolumeGroupSnapshotContent content-both"} <= set(found.objects)
