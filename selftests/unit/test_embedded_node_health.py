"""Nodes that lack the cluster's images or are short of something: seen by `status`, mended or explained by `up`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import images, node_health
from embedded_cluster import status as module
from embedded_cluster.images import Images
from embedded_cluster.layout import Layout, NodeLayout
from embedded_cluster.node import Node
from embedded_cluster.processes import Daemons, started_ticks
from embedded_cluster.state import ClusterState, LoadedImages, ProcessRecord
from embedded_cluster.status import Status, repair, status

LAYOUT = Layout("unit-test")
FIO, PAUSE, POSTGRESQL = f"{images.PREFIX}fio:1", images.PAUSE, f"{images.PREFIX}postgresql:17"
MIB = 1024**2


def node(name: str, **conditions: str) -> dict[str, Any]:
    found = [{"type": type_, "status": value, "message": "why"} for type_, value in conditions.items()]
    return {"metadata": {"name": name}, "status": {"conditions": found}}


def state(*loaded: LoadedImages) -> ClusterState:
    began = started_ticks(os.getpid())
    assert began is not None
    return ClusterState(
        name=LAYOUT.name,
        boot_id="",
        kubernetes_version="v1",
        image=FIO,
        pause_image=PAUSE,
        snapshotter="native",
        gateway="10.200.0.1",
        subnet="10.200.0.0/20",
        node_addresses=("10.200.0.11", "10.200.0.12"),
        ports={"kube-apiserver": 1},
        processes=(ProcessRecord(component="etcd", pid=os.getpid(), started_ticks=began),),
        loaded=loaded,
        complete=True,
    )


class Cluster:
    """Two nodes with images, a disk, and what the API server says of its nodes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.images = {1: {FIO, PAUSE}, 2: {FIO, PAUSE}}
        self.nodes = [node("unit-test-node-1", Ready="True"), node("unit-test-node-2", Ready="True")]
        self.free = 300 * MIB
        self.loaded: list[int] = []
        self.further: list[LoadedImages] = []
        self.archives: list[Path] = []
        self.made = Images(archive=Path("images.tar"), fio=FIO)
        monkeypatch.setattr(images, "names", lambda each: self.images[each.number])
        monkeypatch.setattr(images, "ensure", lambda: self.made)
        monkeypatch.setattr(images, "load", self.load)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=self.free))
        monkeypatch.setattr(module, "read_state", lambda _: state(*self.further))
        monkeypatch.setattr(module, "_serving_problems", lambda *_: [])
        monkeypatch.setattr(module.Kubectl, "of", lambda _: SimpleNamespace(get=lambda kind: self.nodes))

    def load(self, archive: Path, target: NodeLayout, *, snapshotter: str) -> None:
        assert snapshotter == "native"
        self.loaded.append(target.number)
        self.archives.append(archive)
        held = {each.archive: set(each.images) for each in self.further}
        self.images[target.number] |= {FIO, PAUSE} if archive == self.made.archive else held[str(archive)]

    def offer(self, archive: Path, *names: str) -> None:
        """Further images, which both nodes were given."""
        self.further.append(LoadedImages(archive=str(archive), images=names))
        for held in self.images.values():
            held |= set(names)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    return Cluster(monkeypatch)


def test_a_cluster_that_lacks_nothing_is_healthy_and_nothing_is_loaded(cluster: Cluster) -> None:
    found = status(LAYOUT)
    assert (found.problems, repair(LAYOUT, found)) == ((), found)
    assert cluster.loaded == []


@pytest.mark.parametrize("left", [set(), {FIO}, {PAUSE}, {"docker.io/library/busybox:1"}])
def test_images_that_are_gone_are_a_problem_and_up_loads_them_again(left: set[str], cluster: Cluster) -> None:
    cluster.images[2] = left
    found = status(LAYOUT)
    (problem,) = found.problems
    assert "unit-test-node-2 lacks images" in problem and "storage-acceptance cluster up" in problem
    assert not found.may_pass, "to wait for it would be in vain"
    after = repair(LAYOUT, found)
    assert (cluster.loaded, after.running, after.problems) == ([2], True, ())


@pytest.mark.parametrize("names", [(POSTGRESQL,), ("docker.io/longhornio/a:1", "docker.io/longhornio/b:1")])
def test_further_images_are_missed_too_and_loaded_from_their_own_archive(
    names: tuple[str, ...], cluster: Cluster, tmp_path: Path
) -> None:
    archive = tmp_path / "further.tar"
    archive.touch()
    cluster.offer(archive, *names)
    assert status(LAYOUT).problems == ()
    cluster.images[1].remove(names[-1])
    found = status(LAYOUT)
    assert [node.number for node in found.without_images] == [1]
    after = repair(LAYOUT, found)
    assert (cluster.loaded, cluster.archives, after.problems) == ([1], [archive], ())


def test_nodes_list_their_images_once_for_all_archives(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both nodes lack the images of every cluster; node 1 also lacks those of the first of two further archives."""
    longhorn, postgresql = tmp_path / "longhorn.tar", tmp_path / "postgresql.tar"
    for archive, name in ((longhorn, "docker.io/longhornio/a:1"), (postgresql, POSTGRESQL)):
        archive.touch()
        cluster.offer(archive, name)
    cluster.images = {1: {POSTGRESQL}, 2: {POSTGRESQL, "docker.io/longhornio/a:1"}}
    listed_nodes: list[int] = []

    def names(target: NodeLayout) -> set[str]:
        listed_nodes.append(target.number)
        return set(cluster.images[target.number])

    monkeypatch.setattr(images, "names", names)
    node_health.restore_images(LAYOUT, state(*cluster.further), [LAYOUT.node(1), LAYOUT.node(2)])
    assert listed_nodes == [1, 2]
    expected_loads = [(cluster.made.archive, 1), (cluster.made.archive, 2), (longhorn, 1)]
    assert list(zip(cluster.archives, cluster.loaded, strict=True)) == expected_loads


def test_further_images_whose_archive_is_gone_are_named(cluster: Cluster, tmp_path: Path) -> None:
    cluster.offer(tmp_path / "gone.tar", POSTGRESQL)
    cluster.images[1].remove(POSTGRESQL)
    with pytest.raises(EnvironmentFailure, match=rf"lack {POSTGRESQL}, and their .*gone\.tar.* --name unit-test"):
        repair(LAYOUT, status(LAYOUT))
    assert cluster.loaded == []


def test_images_that_this_host_does_not_make_any_more_are_not_loaded(cluster: Cluster) -> None:
    cluster.images[1] = set()
    cluster.made = Images(archive=Path("images.tar"), fio=f"{images.PREFIX}fio:2")
    with pytest.raises(EnvironmentFailure, match="image localhost/storage-acceptance/fio:1, but this host now builds"):
        repair(LAYOUT, status(LAYOUT))
    assert cluster.loaded == []


@pytest.mark.parametrize("pressure", ["DiskPressure", "MemoryPressure", "PIDPressure"])
def test_pressure_is_a_problem_and_up_leaves_the_cluster_as_it_is(pressure: str, cluster: Cluster) -> None:
    cluster.nodes[1] = node("unit-test-node-2", Ready="True", **{pressure: "True"})
    cluster.nodes.append(node("simulated", **{pressure: "True"}))
    found = status(LAYOUT)
    (problem,) = found.problems
    assert problem.startswith("node unit-test-node-2 is short of") and f"({pressure}: why)" in problem
    with pytest.raises(EnvironmentFailure, match="runs and is not changed: node unit-test-node-2"):
        repair(LAYOUT, found)


def test_a_disk_that_is_full_is_a_problem(cluster: Cluster) -> None:
    cluster.free = node_health.LEAST_FREE_B - 1
    (problem,) = status(LAYOUT).problems
    assert "only 200 MiB are free" in problem
    cluster.free += 1
    assert status(LAYOUT).problems == ()


def test_a_cluster_that_does_not_run_is_not_mended(cluster: Cluster) -> None:
    found = Status(running=False, problems=("it does not run",), lines=())
    assert repair(LAYOUT, found) == found


def test_what_is_loaded_is_pinned_and_nothing_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, ...]] = []

    def run(command: list[Any], **_: Any) -> str:
        ran.append(tuple(map(str, command[command.index("images") + 1 :])))
        return f"{FIO}\n{PAUSE}\ndocker.io/library/busybox:1\n" if command[-1] == "--quiet" else ""

    monkeypatch.setattr(images, "run", run)
    images.load(Path("images.tar"), LAYOUT.node(1), snapshotter="native")
    assert ran[0] == ("import", "--snapshotter", "native", "images.tar")
    assert [each for each in ran if each[0] == "label"] == [("label", name, images.PIN_LABEL) for name in (FIO, PAUSE)]


def test_a_kubelet_never_deletes_images_for_want_of_disk() -> None:
    """Nothing could pull them again. A threshold of 0 % is none."""
    daemons = cast(Daemons, SimpleNamespace(state=state()))
    one = Node(layout=LAYOUT.node(1), daemons=daemons, address="127.0.0.1", snapshotter="native")
    settings = one._kubelet_configuration(gateway="10.200.0.1")
    thresholds = {signal: value for signal, value in settings["evictionHard"].items() if "fs." in signal}
    assert thresholds == dict.fromkeys(("nodefs.available", "nodefs.inodesFree", "imagefs.available"), "0%")
    assert settings["imageGCHighThresholdPercent"] == 100
