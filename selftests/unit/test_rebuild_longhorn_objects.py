"""What Longhorn's objects mean for a rebuild, in the shapes of v1beta2, with the awkward cases."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.text.errors import StorageFailure
from acceptance.trials.rebuild.driver import RebuildState
from acceptance.trials.rebuild.longhorn_api import setting_of
from acceptance.trials.rebuild.longhorn_objects import LonghornView, free_nodes, rebuild_state, rebuilt_since
from selftests.unit.longhorn_views import view

OLD = {"r-1", "r-2", "r-3"}


def going_on(progress: int) -> dict[str, Any]:
    return {"isRebuilding": True, "progress": progress, "state": "in_progress", "error": ""}


ALL_RW = dict.fromkeys((*sorted(OLD), "r-4"), "RW")
THREE_RW = dict.fromkeys(sorted(OLD), "RW")
BEFORE = view(THREE_RW, robustness="healthy")


def looked(seen: LonghornView, *, before: LonghornView = BEFORE, readable: int = 4) -> RebuildState:
    return rebuild_state(seen, before=before, readable=readable)


def state(seen: LonghornView, *, before: LonghornView = BEFORE, readable: int = 4) -> tuple[str, float | None]:
    found = looked(seen, before=before, readable=readable)
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
    assert "37 %" in looked(seen).description


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
    assert "r-4 is not in use yet" in looked(seen).description


FAILED: dict[str, Any] = {
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


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (
            view(THREE_RW | {"r-4": "WO"}, status={"r-4": {"state": "error", "error": "no space left on device"}}),
            "the rebuild of replica r-4 has failed: no space left on device",
        ),
        (view(THREE_RW | {"r-4": "WO"}, status={"r-4": {"state": "error"}}), "Longhorn gives no reason"),
        (view(THREE_RW | {"r-4": "ERR"}), "r-4 has failed: Longhorn gives no reason"),
        (view(THREE_RW, replicas={"r-4": FAILED}), "r-4 has failed: Disconnection: rpc error: code = Unavailable"),
    ],
)
def test_a_rebuild_that_failed_has_begun_and_is_told_in_longhorns_words(seen: LonghornView, said: str) -> None:
    """Longhorn tries it again by itself."""
    found = looked(seen)
    assert (found.phase, found.progress) == ("rebuilding", None)
    assert said in found.description


HEALTHY_AT = "2026-11-24T03:00:00Z"


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ((), "its engine has failed, and its users had errors; 3 replicas hold its data"),
        (("r-1", "r-2"), "its engine has failed, and its users had errors; 1 of its replicas holds its data"),
        (("r-1", "r-2", "r-3"), "all of its replicas have failed; Longhorn may salvage it"),
    ],
)
def test_a_volume_that_is_faulted_ends_it_and_what_failed_is_told(failed: tuple[str, ...], said: str) -> None:
    """Longhorn calls it so both where its engine ends and where all replicas do; a new replica was never whole."""
    specs = {name: {"healthyAt": HEALTHY_AT, "failedAt": HEALTHY_AT if name in failed else ""} for name in sorted(OLD)}
    replicas = {name: {"spec": spec} for name, spec in specs.items()} | {"r-4": {"spec": {"healthyAt": ""}}}
    with pytest.raises(StorageFailure, match=f"pvc-1 is faulted: {said}"):
        looked(view({}, robustness="faulted", replicas=replicas))


def test_a_replica_that_has_died_holds_no_data_whatever_the_engine_shows() -> None:
    dead = {"spec": {"healthyAt": HEALTHY_AT, "failedAt": HEALTHY_AT}}
    assert view(THREE_RW, robustness="healthy", replicas={"r-2": dead}).readable == ["r-1", "r-3"]


def test_one_that_has_all_data_and_is_not_taken_into_use_is_told() -> None:
    """So it stays where the manager was killed that had it rebuilt, as seen on Longhorn 1.10.0."""
    complete = {"isRebuilding": False, "progress": 100, "state": "complete", "error": ""}
    found = looked(view(THREE_RW | {"r-4": "WO"}, status={"r-4": complete}))
    assert (found.phase, found.progress) == ("rebuilding", 1.0)
    assert found.description == "replica r-4 has all data, but Longhorn does not use it yet (WO)"


def test_an_old_replica_that_failed_is_no_failed_rebuild() -> None:
    assert state(view({"r-1": "RW", "r-2": "RW", "r-3": "ERR", "r-4": "WO"})) == ("rebuilding", None)


LEFT_OVER = {"spec": {"healthyAt": "2026-11-20T07:00:00Z", "failedAt": "2026-11-21T07:00:00Z"}}
"""a replica that failed, and is kept beside as many whole ones as the volume wants"""


def test_a_failed_replica_that_is_taken_up_under_its_old_name_is_the_one_that_is_rebuilt() -> None:
    before = view(THREE_RW, robustness="healthy", replicas={"r-0": LEFT_OVER})
    assert state(view(THREE_RW, replicas={"r-0": LEFT_OVER}), before=before) == ("waiting", None)
    assert "no new replica yet" in looked(view(THREE_RW, replicas={"r-0": LEFT_OVER}), before=before).description
    taken_up: dict[str, dict[str, Any]] = {"r-0": {"spec": {"healthyAt": "", "failedAt": ""}}}
    assert "r-0 is not in use yet" in looked(view(THREE_RW, replicas=taken_up), before=before).description
    going = view(THREE_RW | {"r-0": "WO"}, replicas=taken_up, status={"r-0": going_on(40)})
    assert state(going, before=before) == ("rebuilding", 0.4)
    whole: dict[str, dict[str, Any]] = {"r-0": {"spec": {"healthyAt": "2026-11-21T07:20:00Z", "failedAt": ""}}}
    done = view(THREE_RW | {"r-0": "RW"}, replicas=whole, robustness="healthy")
    assert state(done, before=before) == ("whole", 1.0)


def test_one_that_was_whole_failed_and_was_taken_up_since_is_rebuilt_too() -> None:
    """A replica process was killed: `healthyAt` is emptied, and set anew at the end."""
    was, is_ = ({"r-3": {"spec": {"healthyAt": at}}} for at in ("2026-11-21T07:00:00Z", "2026-11-21T07:20:00Z"))
    before = view(THREE_RW, robustness="healthy", replicas=was)
    emptied: dict[str, dict[str, Any]] = {"r-3": {"spec": {"healthyAt": ""}}}
    assert rebuilt_since(view(THREE_RW, replicas=was), before) == []
    assert state(view(THREE_RW | {"r-3": "WO"}, replicas=emptied), before=before) == ("rebuilding", None)
    assert state(view(THREE_RW, robustness="healthy", replicas=is_), before=before, readable=3) == ("whole", 1.0)


def test_keys_of_the_mode_map_that_are_no_replicas_count_for_nothing() -> None:
    """A replica that was deleted stays in the engine for a while, even as one that may be read."""
    unknown = {"UNKNOWN-tcp://10.200.33.41:10000": "ERR", "UNKNOWN-tcp://10.200.33.42:10000": "RW"}
    seen = view(THREE_RW | {"r-4": "RW"}, robustness="healthy", unknown=unknown)
    assert seen.modes == ALL_RW
    assert state(seen) == ("whole", 1.0)
    assert state(view({"r-1": "RW", "r-2": "RW"}, robustness="healthy", unknown=unknown), readable=3)[0] == "waiting"


def test_a_purge_before_the_rebuild_is_told() -> None:
    assert looked(view(THREE_RW, purging=("r-2",))).description.endswith(
        "the volume degraded, Longhorn purges snapshots"
    )
    assert not view(THREE_RW).purging


@pytest.mark.parametrize(
    ("value", "engine", "wanted"),
    [
        ('{"v1":"true","v2":"false"}', "v1", "true"),
        ('{"v1":"true","v2":"false"}', "v2", "false"),
        ('{"v2":"0"}', "v1", '{"v2":"0"}'),
        ("5", "v1", "5"),
        ("", "v1", ""),
        ("do-nothing", "v1", "do-nothing"),
    ],
)
def test_settings_that_differ_by_data_engine_are_read_for_the_volumes_own(value: str, engine: str, wanted: str) -> None:
    assert setting_of(value, engine) == wanted


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


def test_conditions_of_a_node_that_block_nothing_keep_no_replica_from_it() -> None:
    """Seen on nodes without an NFS client and without the device mapper."""
    found = node("node-4")
    lacks = [{"type": kind, "status": "False"} for kind in ("RequiredPackages", "NFSClientInstalled", "Multipathd")]
    found["status"]["conditions"] += lacks
    assert free_nodes([found], view(THREE_RW)) == ["node-4"]
