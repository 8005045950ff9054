"""The Longhorn driver on objects in memory that a controller changes as Longhorn does: what it does, and what not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from acceptance.cluster.longhorn_resources import ENGINES, LONGHORN_VOLUMES, REPLICAS
from acceptance.cluster.resources import VOLUMES
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure, Unsupported
from acceptance.trials.rebuild.longhorn_api import Trigger
from selftests.unit.longhorn_lab import THREE, Lab, driver, follow
from selftests.unit.paged_api_server import Clock
from selftests.unit.simulated_api import SimulatedApi


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    found = Lab(Clock(monkeypatch))
    with found.undo:
        yield found


def test_a_further_replica_is_added_rebuilt_and_taken_away_again(lab: Lab) -> None:
    rebuild = lab.longhorn()
    found = follow(rebuild)
    assert found.trigger == "numberOfReplicas raised from 3 to 4"
    assert (lab.count, len(lab.replicas)) == (4, 4)
    assert found.rates and found.seconds > 0.3
    rebuild.restore()
    assert (lab.count, lab.replicas) == (3, THREE)


def test_without_a_free_node_a_replica_is_deleted_that_is_not_where_the_volume_is_used(lab: Lab) -> None:
    rebuild = lab.longhorn(nodes=("store-1", "store-2", "store-3"))
    found = follow(rebuild)
    assert found.trigger == "replica pvc-1-r-2 on node store-2 deleted"
    rebuild.restore()
    assert lab.count == 3 and len(lab.replicas) == 3 and "pvc-1-r-2" not in lab.replicas
    assert not any("numberOfReplicas" in each for each in lab.api.changed)


def test_a_further_replica_that_was_asked_for_and_has_no_node_is_told(lab: Lab) -> None:
    rebuild = lab.longhorn("further-replica", nodes=("store-1", "store-2", "store-3"))
    with pytest.raises(EnvironmentFailure, match=r"no node for another replica .* 3 nodes hold one, .* is off; add"):
        follow(rebuild)
    rebuild.restore()
    assert (lab.count, lab.replicas, lab.api.changed) == (3, THREE, [])


def test_soft_anti_affinity_makes_room_on_nodes_that_have_one(lab: Lab) -> None:
    on = {"replica-soft-anti-affinity": "true"}
    rebuild = lab.longhorn(nodes=("store-1", "store-2", "store-3"), settings=on)
    assert rebuild.trigger() == "numberOfReplicas raised from 3 to 4"


@pytest.mark.parametrize(
    "behaviour",
    [{"overshoots": True}, {"looks_s": 2.0, "rebuild_s": 0.5}],
    ids=["progress above 100", "never shows in rebuildStatus"],
)
def test_awkward_rebuilds_are_timed_all_the_same(lab: Lab, behaviour: dict[str, Any]) -> None:
    found = follow(lab.longhorn(**behaviour))
    assert found.seconds > 0.2
    assert all(rate.rate >= 0 for rate in found.rates)


def test_a_rebuild_that_never_begins_is_told_with_what_keeps_it_and_undone(lab: Lab) -> None:
    rebuild = lab.longhorn(starts=False)
    with pytest.raises(StorageFailure) as told:
        follow(rebuild, begin_s=1.5)
    assert "to begin (numberOfReplicas raised from 3 to 4); last state: no new replica yet" in str(told.value)
    assert "ReplicaSchedulingFailure: insufficient storage" in str(told.value)
    assert "replica-replenishment-wait-interval: 600" in str(told.value)
    rebuild.restore()
    assert lab.count == 3


def test_what_was_not_triggered_is_not_undone(lab: Lab) -> None:
    lab.longhorn().restore()
    assert lab.api.changed == []


def test_a_volume_that_is_gone_needs_no_undoing(lab: Lab) -> None:
    rebuild = lab.longhorn(starts=False)
    rebuild.trigger()
    lab.api.delete(VOLUMES, "pvc-1")
    lab.api.delete(LONGHORN_VOLUMES, "pvc-1")
    rebuild.restore()


@pytest.mark.parametrize(
    ("behaviour", "error", "said"),
    [
        ({"replicas": 1}, Unsupported, "capability 'replicas': StorageClass longhorn keeps one copy"),
        ({"state": "detached"}, EnvironmentFailure, "expected Longhorn volume pvc-1 attached.* found detached"),
        ({"robustness": "degraded"}, EnvironmentFailure, "with 3 complete replicas .* found 3"),
        (
            {"owner": "data-postgres-0"},
            EnvironmentFailure,
            "not that of the run's PVC run-1/rebuild-full.*leaves it alone",
        ),
    ],
)
def test_what_cannot_be_had_is_refused_before_anything_is_changed(
    lab: Lab, behaviour: dict[str, Any], error: type[AcceptanceError], said: str
) -> None:
    with pytest.raises(error, match=said):
        follow(lab.longhorn(**behaviour))
    assert lab.api.changed == []


def test_a_volume_of_another_claim_is_left_alone(lab: Lab) -> None:
    rebuild = lab.longhorn()
    lab.api.patch(VOLUMES, "pvc-1", {"spec": {"claimRef": {"namespace": "shop", "name": "data"}}})
    lab.api.changed.clear()
    with pytest.raises(EnvironmentFailure, match=r"claimed by shop/data.* leaves it alone"):
        rebuild.trigger()
    assert lab.api.changed == []


@pytest.mark.parametrize("trigger", ["deleted-replica", "further-replica"])
@pytest.mark.parametrize("known_by", ["engine", "replicas"])
def test_the_last_whole_replica_is_never_deleted(lab: Lab, known_by: str, trigger: Trigger) -> None:
    """Others died after all were seen to be whole; that shows in their own objects seconds before the engine's."""
    rebuild = lab.longhorn(trigger)
    rebuild.require_whole()
    lab.undo.close()
    for name in THREE[1:]:
        if known_by == "engine":
            lab.api.patch(ENGINES, "pvc-1-e-0/status", {"status": {"replicaModeMap": {name: "ERR"}}})
        else:
            lab.api.patch(REPLICAS, name, {"spec": {"failedAt": "2026-11-24T03:00:00Z"}})
    lab.api.changed.clear()
    with pytest.raises(EnvironmentFailure, match=r"with 3 complete replicas .* found 1, robust") as told:
        rebuild.trigger()
    assert known_by == "engine" or "replica pvc-1-r-2: failed at 2026-11-24T03:00:00Z" in str(told.value)
    rebuild.restore()
    assert (lab.count, lab.replicas, lab.api.changed) == (3, THREE, [])


def test_settings_that_influence_it_are_kept(lab: Lab) -> None:
    assert lab.longhorn().settings() == {
        "numberOfReplicas": "3",
        "dataLocality": "disabled",
        "dataEngine": "v1",
        "auto-cleanup-system-generated-snapshot": "true",
        "fast-replica-rebuild-enabled": "true",
        "concurrent-replica-rebuild-per-node-limit": "5",
        "replica-replenishment-wait-interval": "600",
        "replica-file-sync-http-client-timeout": "30",
        "replica-soft-anti-affinity": "false",
    }


@pytest.mark.parametrize(
    ("served", "said"),
    [({}, "no version of group longhorn.io"), ({"longhorn.io": ["v1beta1"]}, "v1beta1 of group longhorn.io")],
)
def test_missing_kinds_and_another_version_are_told(served: dict[str, list[str]], said: str) -> None:
    with pytest.raises(EnvironmentFailure, match=rf"expected API longhorn.io/v1beta2 .*, found {said};"):
        driver(SimulatedApi(served)).require_ready()


def test_missing_permissions_are_told_together() -> None:
    api = SimulatedApi({"longhorn.io": ["v1beta2"]}, forbidden=("patch volumes", "delete replicas"))
    with pytest.raises(EnvironmentFailure) as told:
        driver(api).require_ready()
    assert "patch on volumes.longhorn.io in namespace longhorn-system" in str(told.value)
    assert "delete on replicas.longhorn.io in namespace longhorn-system" in str(told.value)


def test_a_class_with_one_copy_is_skipped_before_a_volume_is_made() -> None:
    with pytest.raises(Unsupported, match="capability 'replicas'"):
        driver(SimulatedApi({"longhorn.io": ["v1beta2"]}), numberOfReplicas="1").require_ready()


def test_rebuilds_that_are_switched_off_are_told(lab: Lab) -> None:
    lab.longhorn(settings={"concurrent-replica-rebuild-per-node-limit": "0"})
    with pytest.raises(EnvironmentFailure, match="is 0: no replica is ever rebuilt"):
        driver(lab.api).require_ready()
