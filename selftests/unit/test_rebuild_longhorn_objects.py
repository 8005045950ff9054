"""What Longhorn's objects mean for a rebuild, in the shapes of v1beta2, with the awkward cases."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.text.errors import StorageFailure
from acceptance.trials.rebuild.longhorn_objects import LonghornView, free_nodes, rebuild_state

OLD = {"r-1", "r-2", "r-3"}


def view(
    modes: dict[str, str],
    *,
    robustness: str = "degraded",
    status: dict[str, dict[str, Any]] | None = None,
    conditions: list[dict[str, str]] | None = None,
    replicas: dict[str, dict[str, Any]] | None = None,
    wanted: int = 3,
) -> LonghornView:
    """A volume whose replicas are those of `modes` and of `replicas`, which has more of their spec and status."""
    addresses = {name: f"10.42.0.{number}:10000" for number, name in enumerate(sorted(modes), start=1)}
    names = dict.fromkeys((*modes, *(replicas or {})))
    return LonghornView(
        volume={
            "metadata": {"name": "pvc-1"},
            "spec": {"numberOfReplicas": wanted, "size": "1073741824"},
            "status": {"state": "attached", "robustness": robustness, "conditions": conditions or []},
        },
        engines=[
            {
                "metadata": {"name": "pvc-1-e-0"},
                "status": {
                    "replicaModeMap": modes,
                    "currentReplicaAddressMap": addresses,
                    "rebuildStatus": {f"tcp://{addresses[name]}": each for name, each in (status or {}).items()},
                },
            }
        ],
        replicas=[
            {"metadata": {"name": name}, "spec": {"nodeID": f"node-{name[-1]}"}} | (replicas or {}).get(name, {})
            for name in names
        ],
    )


def going_on(progress: int) -> dict[str, Any]:
    return {"isRebuilding": True, "progress": progress, "state": "in_progress", "error": ""}


ALL_RW = dict.fromkeys((*sorted(OLD), "r-4"), "RW")
THREE_RW = dict.fromkeys(sorted(OLD), "RW")


def state(seen: LonghornView, *, readable: int = 4) -> tuple[str, float | None]:
    found = rebuild_state(seen, before=OLD, readable=readable)
    return found.phase, found.progress


def test_it_is_over_when_the_new_replica_is_rw_and_the_volume_healthy() -> None:
    assert state(view(ALL_RW, robustness="healthy")) == ("whole", 1.0)


@pytest.mark.parametrize(
    ("modes", "robustness"),
    [
        (ALL_RW, "degraded"),
        (ALL_RW, "unknown"),
        (THREE_RW, "healthy"),
        (THREE_RW | {"r-4": "WO"}, "healthy"),
        ({"r-1": "RW", "r-2": "RW", "r-3": "ERR", "r-4": "RW"}, "healthy"),
    ],
)
def test_neither_alone_is_enough(modes: dict[str, str], robustness: str) -> None:
    """A volume is healthy for a moment before it knows of a further replica; an engine is polled later than it."""
    assert state(view(modes, robustness=robustness))[0] != "whole"


def test_a_deleted_replica_must_be_replaced() -> None:
    two = {"r-1": "RW", "r-2": "RW"}
    assert state(view(two, robustness="healthy"), readable=3) == ("waiting", None)
    assert state(view(two | {"r-4": "RW"}, robustness="healthy"), readable=3) == ("whole", 1.0)


def test_progress_is_that_of_the_new_replica() -> None:
    seen = view(THREE_RW | {"r-4": "WO"}, status={"r-4": going_on(37)})
    assert state(seen) == ("rebuilding", 0.37)
    assert "37 %" in rebuild_state(seen, before=OLD, readable=4).description


def test_progress_above_100_is_cut() -> None:
    assert state(view(THREE_RW | {"r-4": "WO"}, status={"r-4": going_on(112)})) == ("rebuilding", 1.0)


def test_a_rebuild_that_does_not_show_in_rebuild_status_is_seen_by_its_mode() -> None:
    assert state(view(THREE_RW | {"r-4": "WO"})) == ("rebuilding", None)


def test_maps_that_are_null_are_empty() -> None:
    seen = LonghornView(
        volume={"metadata": {"name": "pvc-1"}, "spec": {"numberOfReplicas": 3}, "status": {"conditions": None}},
        engines=[{"metadata": {"name": "e"}, "status": {"replicaModeMap": None, "rebuildStatus": None}}],
        replicas=[],
    )
    assert state(seen) == ("waiting", None)
    assert (seen.state, seen.robustness, seen.readable, seen.complaints()) == ("unknown", "unknown", [], [])


def test_a_replica_that_waits_to_be_used_has_not_begun() -> None:
    seen = view(THREE_RW, replicas={"r-4": {"spec": {"nodeID": ""}}})
    assert state(seen) == ("waiting", None)
    assert "r-4 is not in use yet" in rebuild_state(seen, before=OLD, readable=4).description


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (
            view(THREE_RW | {"r-4": "WO"}, status={"r-4": {"state": "error", "error": "no space left on device"}}),
            "rebuild of replica r-4 of Longhorn volume pvc-1 failed: no space left on device",
        ),
        (view(THREE_RW | {"r-4": "WO"}, status={"r-4": {"state": "error"}}), "Longhorn gives no reason"),
        (view(THREE_RW | {"r-4": "ERR"}), "its mode is ERR"),
        (
            view(
                THREE_RW,
                replicas={
                    "r-4": {
                        "spec": {"failedAt": "2026-11-21T07:15:02Z"},
                        "status": {
                            "conditions": [
                                {
                                    "type": "RebuildFailed",
                                    "status": "True",
                                    "reason": "Disconnection",
                                    "message": "rpc error: code = Unavailable",
                                }
                            ]
                        },
                    }
                },
            ),
            "replica r-4: Disconnection: rpc error: code = Unavailable",
        ),
        (view({}, robustness="faulted"), "pvc-1 is faulted"),
    ],
)
def test_a_rebuild_that_failed_is_told_in_longhorns_words(seen: LonghornView, said: str) -> None:
    with pytest.raises(StorageFailure, match=said):
        rebuild_state(seen, before=OLD, readable=4)


def test_an_old_replica_that_failed_is_no_failed_rebuild() -> None:
    assert state(view({"r-1": "RW", "r-2": "RW", "r-3": "ERR", "r-4": "WO"})) == ("rebuilding", None)


def test_what_keeps_a_replica_from_its_place_is_told() -> None:
    condition = {"type": "Scheduled", "status": "False", "reason": "ReplicaSchedulingFailure", "message": "no disk"}
    assert view(THREE_RW, conditions=[condition]).complaints() == ["volume pvc-1: ReplicaSchedulingFailure: no disk"]
    assert view(THREE_RW, conditions=[condition | {"status": "True"}]).complaints() == []


def node(name: str, *, allowed: bool = True, ready: str = "True", schedulable: str = "True") -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": ready}, {"type": "Schedulable", "status": schedulable}]
    return {"metadata": {"name": name}, "spec": {"allowScheduling": allowed}, "status": {"conditions": conditions}}


def test_only_nodes_that_take_replicas_and_have_none_are_free() -> None:
    nodes = [
        node("node-1"),
        node("node-4"),
        node("node-5", allowed=False),
        node("node-6", ready="False"),
        node("node-7", schedulable="False"),
    ]
    assert free_nodes(nodes, view(THREE_RW)) == ["node-4"]
