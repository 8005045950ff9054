"""Snapshots that are deleted while they are being made, as when a run is interrupted: nothing of them stays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS
from acceptance.cluster.snapshots import Snapshot, take_snapshot, undo_snapshot
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from embedded_cluster.csi.part import CLASS
from selftests.integration.volume_pods import a_volume, gone
from selftests.lab.csi_classes import RETAINING, retaining

# Of those that were taken so, one in sixteen was overlooked by csi-snapshotter, and one in three was kept, as its class
# says, since its snapshot was gone before anybody heard that it is to go.
TIMES = 16
GIB = 1024**3
RUN = "20260101-000000-0123456789abcdef"
NAME = "going-snapshots"


@pytest.fixture
def claim(cluster: EmbeddedCluster, api: Api) -> Iterator[Claim]:
    """In use, of the driver that has snapshots, whose default class of them retains what is behind."""
    a_volume(api, NAME, storage_class=CLASS, image=cluster.image)
    with retaining(api):
        yield Claim(name=NAME, namespace="default", storage_class=CLASS, size=GIB // 2, run_id=RUN)
    gone(api, NAME)


def contents(api: Api) -> list[str]:
    """The names of what is behind snapshots of that claim."""
    found = api.list(SNAPSHOT_CONTENTS)
    return [each["metadata"]["name"] for each in found if each["spec"]["volumeSnapshotRef"]["namespace"] == "default"]


def test_what_is_behind_a_snapshot_goes_though_it_was_not_yet_taken(claim: Claim, api: Api) -> None:
    for number in range(TIMES):
        snapshot = Snapshot(name=f"{NAME}-{number}", namespace="default", snapshot_class=RETAINING, run_id=RUN)
        take_snapshot(api, snapshot, claim=claim)
        wait_for("a content", look=lambda: contents(api), ready=bool, state=str, timeout_s=60)
        undo_snapshot(api, snapshot, timeout_s=60)
        assert contents(api) == []
    assert api.list(VOLUME_SNAPSHOTS, namespace="default") == []
