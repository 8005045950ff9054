"""The lab's CSI driver on a cluster: its processes and rights, what it is ready by, and what `down` lets go of."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.text.errors import WrongUsage
from embedded_cluster import __main__ as command_line
from embedded_cluster import layout, loop_devices, mount_namespaces
from embedded_cluster.csi import driver, frozen, group_snapshots, on_node, part, sidecars
from embedded_cluster.csi.on_node import NodeDriver
from embedded_cluster.kubectl import MANIFESTS
from embedded_cluster.layout import Layout
from embedded_cluster.loop_devices import LoopDevice

LAYOUT = Layout("unit-test")


def manifest(name: str) -> list[dict[str, Any]]:
    """The objects of a manifest, with what `up` fills in."""
    values = {"driver": driver.NAME, "class": part.CLASS, "sidecars": "user-1", "snapshot_controller": "user-2"}
    return list(yaml.safe_load_all(string.Template((MANIFESTS / name).read_text()).substitute(values)))


def a_csi_node(name: str, *drivers: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"drivers": [{"name": each} for each in drivers] or None}}


class Kubectl:
    """Plays the API server: what `get` finds."""

    def __init__(self, *items: dict[str, Any]) -> None:
        self.items = list(items)

    def get(self, kind: str) -> list[dict[str, Any]]:
        assert kind == "csinodes"
        return self.items


class Daemons:
    """Notes what is started."""

    def __init__(self, *running: str) -> None:
        self.runs = set(running)
        self.started: dict[str, list[str]] = {}

    def running(self, component: str) -> int | None:
        return 1 if component in self.runs else None

    def start(self, component: str, command: list[object]) -> int:
        self.started[component] = [str(word) for word in command]
        return 1


# Manifests and commands


def test_every_identity_has_the_rights_that_it_is_bound_to() -> None:
    objects = manifest("csi.yaml") + manifest("snapshot-controller.yaml")
    roles = {each["metadata"]["name"] for each in objects if each["kind"] == "ClusterRole"}
    bound = {
        (each["subjects"][0]["name"], each["roleRef"]["name"])
        for each in objects
        if each["kind"] == "ClusterRoleBinding"
    }
    assert bound == {("user-1", "storage-acceptance-csi"), ("user-2", "snapshot-controller")}
    assert {role for _, role in bound} == roles


def test_nobody_may_read_secrets_or_do_everything() -> None:
    roles = [each for each in manifest("csi.yaml") + manifest("snapshot-controller.yaml") if "rules" in each]
    for rule in (rule for role in roles for rule in role["rules"]):
        assert "secrets" not in rule["resources"] and "*" not in [*rule["verbs"], *rule["resources"]]


def test_both_classes_are_the_drivers_own() -> None:
    kinds = {each["kind"]: each for each in manifest("csi.yaml")}
    assert kinds["StorageClass"]["provisioner"] == kinds["VolumeSnapshotClass"]["driver"] == driver.NAME
    assert kinds["CSIDriver"]["metadata"]["name"] == driver.NAME
    assert kinds["CSIDriver"]["spec"]["attachRequired"] is False, "else an attacher would have to run"
    classes = ("StorageClass", "VolumeSnapshotClass", "VolumeGroupSnapshotClass")
    assert {kinds[kind]["metadata"]["name"] for kind in classes} == set(part.CLASSES)
    assert kinds["VolumeGroupSnapshotClass"]["driver"] == driver.NAME
    assert kinds["VolumeGroupSnapshotClass"]["apiVersion"].endswith(f"/{group_snapshots.VERSION}")


def test_each_controller_is_a_program_that_is_built_with_an_identity_of_its_own() -> None:
    kubeconfigs = {part.CONTROLLER: Path("/driver"), part.SNAPSHOT_CONTROLLER: Path("/snapshots")}
    found = part.commands(LAYOUT, kubeconfigs=kubeconfigs)
    assert set(found) == set(part.controllers()) - {part.CONTROLLER}
    assert {Path(words[0]).name for words in found.values()} <= set(sidecars.PROGRAMS)
    identities = {name: [word for word in words if "kubeconfig" in str(word)] for name, words in found.items()}
    assert identities.pop(part.SNAPSHOT_CONTROLLER) == ["--kubeconfig=/snapshots"]
    assert set(map(tuple, identities.values())) == {("--kubeconfig=/driver",)}
    with_groups = {name for name, words in found.items() if group_snapshots.GATE in words}
    assert with_groups == {"csi-snapshotter", part.SNAPSHOT_CONTROLLER}
    assert f"--csi-address={LAYOUT.csi.socket}" in found["csi-provisioner"]
    assert not any("csi-address" in str(word) for word in found[part.SNAPSHOT_CONTROLLER])


def test_sockets_are_short_enough_whatever_the_name() -> None:
    longest = Layout("a" * 20)
    assert max(len(str(path)) for path in (longest.csi.socket, longest.node(99).csi_socket)) <= 107


# Nodes


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> layout.NodeLayout:
    """A node of a cluster in a temporary place, whose mount namespace is only named."""
    monkeypatch.setattr(layout, "STATE_ROOT", tmp_path / "state")
    monkeypatch.setattr(loop_devices, "_SYS", tmp_path / "sys")

    class Namespace:
        def inside(self, command: list[object]) -> list[object]:
            return ["inside", *command]

    monkeypatch.setattr(mount_namespaces, "namespace_of", lambda _daemons, _holder: Namespace())
    return LAYOUT.node(2)


def test_a_nodes_driver_and_registrar_run_where_its_kubelet_mounts(node: layout.NodeLayout) -> None:
    daemons = Daemons()
    NodeDriver(layout=node, daemons=daemons).start()  # type: ignore[arg-type]
    assert tuple(daemons.started) == on_node.components(node) == ("csi-driver-2", "csi-registrar-2")
    assert {words[0] for words in daemons.started.values()} == {"inside"}
    assert "--controller=false" in daemons.started["csi-driver-2"]
    assert "--plugin-registration-path=/var/lib/kubelet/plugins_registry" in daemons.started["csi-registrar-2"]
    assert (node.state / "kubelet" / "plugins_registry").is_dir()


def test_what_runs_on_a_node_is_not_started_again(node: layout.NodeLayout) -> None:
    daemons = Daemons("csi-driver-2")
    NodeDriver(layout=node, daemons=daemons).start()  # type: ignore[arg-type]
    assert list(daemons.started) == ["csi-registrar-2"]


def test_a_node_without_the_driver_is_named() -> None:
    seen = Kubectl(a_csi_node("one", driver.NAME), a_csi_node("two", "another"), a_csi_node("three"))
    problems = part.lacking(seen, nodes=["one", "two", "four"])  # type: ignore[arg-type]
    assert problems == [f"{driver.NAME} is not registered on {name}" for name in ("two", "four")]
    lines, _ = part.describe(seen, nodes=["one", "two"])  # type: ignore[arg-type]
    assert f"csi         {driver.NAME} on 1 of 2 nodes" in lines


# What is let go of


def attach(sys: Path, name: str, file: str) -> None:
    (sys / name / "loop").mkdir(parents=True)
    (sys / name / "loop" / "backing_file").write_text(f"{file}\n")
    (sys / name / "diskseq").write_text("7\n")


def test_only_devices_over_the_drivers_volumes_are_the_clusters(
    node: layout.NodeLayout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also over a volume that was deleted, and those that a kubelet has put over one."""
    volumes = node.cluster.csi.volumes
    attach(tmp_path / "sys", "loop1", f"{volumes}/vol-1.img")
    attach(tmp_path / "sys", "loop2", f"{volumes}/vol-2.img (deleted)")
    attach(tmp_path / "sys", "loop3", f"{Layout('other').csi.volumes}/vol-1.img")
    attach(tmp_path / "sys", "loop4", "/disk.img")
    attach(tmp_path / "sys", "loop5", "/dev/loop1")
    monkeypatch.setattr(loop_devices, "_number", {"loop1": 701, "loop2": 702}.get)
    monkeypatch.setattr(loop_devices, "_behind", {"loop5": 701}.get)
    found = [device.name for device in loop_devices.of_cluster(node.cluster)]
    assert found[0] == "loop5" and sorted(found) == ["loop1", "loop2", "loop5"]
    assert LoopDevice(name="loop1", sequence=7) in loop_devices.pool_devices(node.cluster)


def test_a_device_of_a_node_that_has_died_is_known_by_its_file(
    node: layout.NodeLayout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel shows the end of its path then, and the volumes of other clusters end so, too."""
    volume = node.cluster.csi.volumes / "vol-1.img"
    volume.parent.mkdir(parents=True)
    volume.touch()
    own = volume.stat()
    for name in ("loop1", "loop2"):
        attach(tmp_path / "sys", name, "/csi/pool/volumes/vol-1.img")
    attach(tmp_path / "sys", "loop3", "/")
    files = {"loop1": (own.st_dev, own.st_ino, 0), "loop2": (own.st_dev, own.st_ino + 1, 0)}
    monkeypatch.setattr(loop_devices, "_status", files.get)
    (found,) = loop_devices.of_cluster(node.cluster)
    assert found.name == "loop1" and loop_devices.is_attached(found)


def test_a_dead_node_leaves_the_block_volumes_that_no_other_node_has(
    node: layout.NodeLayout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the devices that its kubelet has put over them."""
    csi = node.cluster.csi
    for number, nodes in enumerate([[node.name], [node.name, "another"], ["another"]], start=1):
        for name in nodes:
            (csi.staging / f"vol-{number}").mkdir(parents=True, exist_ok=True)
            (csi.staging / f"vol-{number}" / name).touch()
        attach(tmp_path / "sys", f"loop{number}", f"{csi.volumes}/vol-{number}.img")
    attach(tmp_path / "sys", "loop4", "/")
    monkeypatch.setattr(loop_devices, "_number", {"loop1": 701}.get)
    monkeypatch.setattr(loop_devices, "_behind", {"loop4": 701}.get)
    assert [device.name for device in loop_devices.of_node(node)] == ["loop4", "loop1"]
    # A device of a volume on RBD is no node's: it stays as long as the volume.
    csi.volumes.mkdir()
    (csi.volumes / "vol-1.json").write_text('{"id": "vol-1", "block": true, "rbd": true}')
    assert [device.name for device in loop_devices.of_node(node)] == ["loop4"]


def test_file_systems_that_a_killed_controller_has_frozen_go_on(
    node: layout.NodeLayout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is not frozen, or has gone meanwhile, is no error."""
    there = node.cluster.csi.frozen / "vol-1"
    there.mkdir(parents=True)
    asked: list[int] = []

    def refuse(_file: int, request: int, _argument: int) -> None:
        asked.append(request)
        raise OSError

    monkeypatch.setattr(frozen.mounts, "below", lambda _folder: [there, there.with_name("vol-2")])
    monkeypatch.setattr(frozen.fcntl, "ioctl", refuse)
    frozen.thaw(node.cluster)
    assert asked == [0xC0045878]


# The command line


def test_a_cluster_has_one_snapshot_controller() -> None:
    options = command_line._parser().parse_args(["up", "--with", "csi", "--with", "longhorn"])
    with pytest.raises(WrongUsage, match="cannot be combined"):
        command_line._up(LAYOUT, options)


def test_a_cluster_with_the_driver_asks_for_loop_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(
        command_line.lifecycle, "up", lambda _layout, *, needs, parts, **_: asked.append(needs.loop_devices)
    )
    for words in (["up"], ["up", "--with", "csi"]):
        command_line._up(LAYOUT, command_line._parser().parse_args(words))
    assert asked == [False, True]
