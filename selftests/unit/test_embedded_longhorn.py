"""When Longhorn is ready, what a node has of its own for it, and which loop devices belong to a node that died."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.settings.target_file import read_target
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from embedded_cluster import layout, lifecycle, locking, longhorn_mounts, loop_devices
from embedded_cluster.layout import Layout, NodeLayout
from embedded_cluster.longhorn import part, pool
from embedded_cluster.longhorn.images import NAMES
from embedded_cluster.longhorn.readiness import DEPLOYMENTS, DRIVER, Observation, lacking
from embedded_cluster.loop_devices import LoopDevice
from embedded_cluster.state import LoadedImages
from fixtures.target import pool_plan

NODES = ["one", "two"]


def condition(kind: str, status: str = "True", message: str = "") -> dict[str, Any]:
    return {"type": kind, "status": status, "message": message}


def a_node(name: str, *conditions: dict[str, Any], disk: dict[str, Any] | None = None) -> dict[str, Any]:
    disks = {"disk-1": {"conditions": [disk or condition("Schedulable")]}}
    shown = list(conditions) or [condition("Ready"), condition("Schedulable")]
    return {"metadata": {"name": name}, "status": {"conditions": shown, "diskStatus": disks}}


def an_engine_image(state: str = "deployed") -> dict[str, Any]:
    return {"metadata": {"name": "ei-1"}, "status": {"state": state}}


def a_csi_node(name: str, *drivers: str) -> dict[str, Any]:
    # The kubelet leaves the list out, or makes it null, where there is none.
    return {"metadata": {"name": name}, "spec": {"drivers": [{"name": driver} for driver in drivers] or None}}


def a_deployment(name: str, available: int = 1) -> dict[str, Any]:
    return {"metadata": {"name": name}, "status": {"availableReplicas": available}}


def a_look(**other: list[dict[str, Any]]) -> Observation:
    whole: dict[str, list[dict[str, Any]]] = {
        "nodes": [a_node(name) for name in NODES],
        "engine_images": [an_engine_image()],
        "csi_nodes": [a_csi_node(name, DRIVER) for name in NODES],
        "deployments": [a_deployment(name) for name in DEPLOYMENTS],
        "pods": [],
    }
    return Observation(**{**whole, **other})


def test_nothing_lacks_where_all_is_ready() -> None:
    assert lacking(a_look(), nodes=NODES) == []


def test_a_new_cluster_lacks_everything() -> None:
    found = lacking(Observation(nodes=[], engine_images=[], csi_nodes=[], deployments=[], pods=[]), nodes=NODES)
    assert len(found) == 2 + 1 + 2 + len(DEPLOYMENTS)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({"nodes": [a_node("one")]}, "Longhorn node two: missing"),
        (
            {"nodes": [a_node("one"), a_node("two", condition("Ready", "False", "no manager"))]},
            "Longhorn node two: not Ready (no manager)",
        ),
        (
            {"nodes": [a_node("one"), a_node("two", condition("Ready"))]},
            "Longhorn node two: not Schedulable (no reason given)",
        ),
        (
            {"nodes": [a_node("one"), a_node("two", disk=condition("Schedulable", "False", "it is full"))]},
            "Longhorn node two: the disk takes no replicas (it is full)",
        ),
        ({"engine_images": [an_engine_image("deploying")]}, "engine image ei-1: deploying"),
        ({"csi_nodes": [a_csi_node("one", DRIVER), a_csi_node("two")]}, "CSI driver: not registered on two"),
        ({"csi_nodes": [a_csi_node("one", DRIVER)]}, "CSI driver: not registered on two"),
        (
            {"deployments": [a_deployment(name, available=name != "csi-resizer") for name in DEPLOYMENTS]},
            "deployment csi-resizer: not available",
        ),
    ],
)
def test_what_lacks_is_named(other: dict[str, list[dict[str, Any]]], expected: str) -> None:
    assert lacking(a_look(**other), nodes=NODES) == [expected]


def test_a_container_that_cannot_start_is_named_with_what_lacks() -> None:
    waiting = {"name": "manager", "state": {"waiting": {"reason": "ErrImagePull"}}}
    starting = {"name": "other", "state": {"waiting": {"reason": "ContainerCreating"}}}
    pod = {"metadata": {"name": "longhorn-1"}, "status": {"containerStatuses": [waiting, starting]}}
    assert lacking(a_look(pods=[pod], engine_images=[]), nodes=NODES)[1:] == ["pod longhorn-1: manager ErrImagePull"]
    assert lacking(a_look(pods=[pod]), nodes=NODES) == []


def test_a_nodes_block_devices_are_the_hosts_and_loop_devices_to_come() -> None:
    """Of each name there is one link, also where the host has the loop device already."""
    there = ["../devices/pci/vda", "../devices/virtual/block/loop0"]
    names = [Path(block_device).name for block_device in longhorn_mounts.block_devices(there)]
    assert {"vda", "loop0", "loop255"} <= set(names)
    assert len(names) == len(set(names))


# Loop devices


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NodeLayout:
    """A node of a cluster in a temporary place; /sys and /dev are empty folders there."""
    monkeypatch.setattr(layout, "STATE_ROOT", tmp_path / "state")
    monkeypatch.setattr(loop_devices, "STATE_ROOT", tmp_path / "state")
    monkeypatch.setattr(loop_devices, "_RECORD", tmp_path / "state" / ".loop-devices.json")
    monkeypatch.setattr(loop_devices, "_SYS", tmp_path / "sys")
    monkeypatch.setattr(locking, "RUN_ROOT", tmp_path / "run")
    found = Layout("unit-test").node(1)
    found.longhorn_devices.mkdir(parents=True)
    return found


def attach(sys: Path, name: str, *, sequence: int) -> None:
    (sys / name / "loop").mkdir(parents=True)
    (sys / name / "loop" / "backing_file").write_text("/volume\n")
    (sys / name / "diskseq").write_text(f"{sequence}\n")


def note(node: NodeLayout, name: str, *, sequence: int) -> None:
    (node.longhorn_devices / f"{name}.json").write_text(json.dumps({"device": name, "diskseq": sequence}))


def test_a_device_that_goes_meanwhile_makes_none_of_others_its_own(
    node: NodeLayout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no number any more, and behind a device over a file there is none either."""
    for name in ("loop1", "loop2"):
        attach(tmp_path / "sys", name, sequence=7)
    note(node, "loop1", sequence=7)
    monkeypatch.setattr(loop_devices, "_number", {}.get)
    monkeypatch.setattr(loop_devices, "_behind", {}.get)
    assert loop_devices.longhorn_devices([node]) == [LoopDevice(name="loop1", sequence=7)]


def test_a_device_is_a_nodes_while_the_same_is_behind_it(node: NodeLayout, tmp_path: Path) -> None:
    """Others attach and detach devices too, and get the same names; a note may be half written."""
    for name in ("loop1", "loop2", "loop3"):
        attach(tmp_path / "sys", name, sequence=7)
    note(node, "loop1", sequence=7)
    note(node, "loop2", sequence=6)
    note(node, "loop4", sequence=7)
    (node.longhorn_devices / "half.json").write_text('{"device": "lo')
    (node.longhorn_devices / "other.json").write_text('{"name": "loop3"}')
    assert loop_devices.longhorn_devices([node]) == [LoopDevice(name="loop1", sequence=7)]


def test_a_device_over_a_nodes_device_is_the_nodes_and_goes_first(
    node: NodeLayout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a kubelet makes them for raw block volumes."""
    for name in ("loop1", "loop2", "loop3"):
        attach(tmp_path / "sys", name, sequence=int(name[-1]))
    note(node, "loop1", sequence=1)
    monkeypatch.setattr(loop_devices, "_number", {"loop1": 701}.get)
    monkeypatch.setattr(loop_devices, "_behind", {"loop2": 701, "loop3": 801}.get)
    assert [device.name for device in loop_devices.longhorn_devices([node])] == ["loop2", "loop1"]


def test_a_device_that_is_held_is_named(node: NodeLayout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attach(tmp_path / "sys", "loop1", sequence=7)
    note(node, "loop1", sequence=7)
    monkeypatch.setattr(loop_devices, "_HELD_S", 0.1)
    monkeypatch.setattr(loop_devices, "_open", lambda _path: (_ for _ in ()).throw(OSError))
    with pytest.raises(EnvironmentFailure, match="loop1"):
        loop_devices.detach(lambda: loop_devices.longhorn_devices([node]))


def test_nodes_are_known_without_a_state_file(node: NodeLayout) -> None:
    assert loop_devices.nodes_of(node.cluster) == [node]


def test_loop_devices_that_came_go_with_the_last_cluster(
    node: NodeLayout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[int] = []
    (tmp_path / "control").touch()
    real = loop_devices._open
    monkeypatch.setattr(loop_devices, "_open", lambda _path: real(tmp_path / "control"))
    monkeypatch.setattr(loop_devices.fcntl, "ioctl", lambda _file, _what, number: removed.append(number))
    (tmp_path / "sys" / "loop0").mkdir(parents=True)
    loop_devices.remember()
    for name in ("loop8", "loop9"):
        (tmp_path / "sys" / name).mkdir()
    loop_devices.remember()
    loop_devices.remove_new()
    assert removed == []
    node.cluster.state.rename(tmp_path / "gone")
    loop_devices.remove_new()
    assert sorted(removed) == [8, 9]
    assert list((tmp_path / "state").iterdir()) == []


# The pool


@pytest.fixture
def with_longhorn(node: NodeLayout, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """The cluster of that node runs with Longhorn, on two nodes."""

    class State:
        parts = ("longhorn",)
        node_addresses = ("10.0.0.2", "10.0.0.3")

    monkeypatch.setattr(pool, "read_state", lambda _layout: State())
    return node.cluster


def test_the_pool_is_what_the_replicas_of_all_nodes_take_of_the_disk(with_longhorn: Layout) -> None:
    """Without the holes of their files, and without what else is in a node's folder."""
    assert pool.used_by_replicas(with_longhorn.name) == 0
    for number in (1, 2):
        folder = with_longhorn.node(number).longhorn / "replicas" / f"pvc-{number}"
        folder.mkdir(parents=True)
        with (folder / "volume-head-000.img").open("wb") as head:
            head.write(bytes(8192))
            head.truncate(1024**3)
        (folder.parents[1] / "longhorn-disk.cfg").write_bytes(bytes(4096))
    assert pool.used_by_replicas(with_longhorn.name) == 16384


def test_a_cluster_without_longhorn_has_no_such_pool(node: NodeLayout) -> None:
    with pytest.raises(WrongUsage, match=f"no embedded cluster {node.cluster.name} with Longhorn runs"):
        pool.used_by_replicas(node.cluster.name)
    assert pool_plan(None, "longhorn", kind="embedded", name=node.cluster.name) is None


def test_the_pool_of_longhorns_classes_is_known_unless_the_target_names_another(
    with_longhorn: Layout, tmp_path: Path
) -> None:
    asked = {"kind": "embedded", "name": with_longhorn.name}
    own = pool_plan(None, "longhorn", **asked)
    assert own is not None and list(own.usage)[-3:] == ["pool-used", "--name", with_longhorn.name], own
    assert pool_plan(None, "replicated", **asked) is None
    assert pool_plan(None, "longhorn", kind=None, name=with_longhorn.name) is None
    file = tmp_path / "target.yaml"
    file.write_text("pool: {used: [zfs-used]}\n")
    named = pool_plan(read_target(file), "longhorn", **asked)
    assert named is not None and list(named.usage) == ["zfs-used"]


# Parts


def test_a_running_cluster_is_given_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    class State:
        parts: tuple[str, ...] = ()

    monkeypatch.setattr(lifecycle, "read_state", lambda _layout: State())
    lifecycle._require_parts(Layout("unit-test"), [])
    with pytest.raises(WrongUsage, match=r"runs without longhorn.*down --name unit-test"):
        lifecycle._require_parts(Layout("unit-test"), ["longhorn"])
    State.parts = ("longhorn",)
    lifecycle._require_parts(Layout("unit-test"), ["longhorn"])


def test_the_cluster_remembers_the_images_that_nodes_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that `status` can miss them on a node."""
    for name in ("_install", "_wait"):
        monkeypatch.setattr(part, name, lambda *_, **__: None)
    monkeypatch.setattr(part.services, "start", lambda *_, **__: None)
    monkeypatch.setattr(part.check, "prove_storage", lambda *_, **__: None)
    given: list[Path] = []
    noted: list[LoadedImages] = []
    nodes: Any = [SimpleNamespace(layout=Layout("unit-test").node(1), load=given.append)]
    control_plane: Any = SimpleNamespace(daemons=SimpleNamespace(note_images=noted.append))
    longhorn: Any = SimpleNamespace(archive=tmp_path / "longhorn.tar", services=None)
    part.start(longhorn, control_plane=control_plane, kubectl=cast(Any, None), nodes=nodes, image="fio")
    assert given == [longhorn.archive]
    assert noted == [LoadedImages(archive=str(longhorn.archive), images=tuple(NAMES.values()))]
