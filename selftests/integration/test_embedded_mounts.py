"""An embedded cluster beside a kubelet of the host's own: neither disturbs the other, and none sees the other's mounts.

Needs root; takes about a minute.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from embedded_cluster import mount_points, mounts
from embedded_cluster.layout import Layout
from embedded_cluster.state import read_state
from selftests.integration.busy_pod import use_volumes
from selftests.integration.remains import on_host
from selftests.integration.suite import ROOT
from selftests.lab.disks import memory_disk

LAYOUT, ANOTHER = Layout("selftest-mounts"), Layout("selftest-mounts-2").state
KUBELET = Path("/var/lib/kubelet")
PLUGINS = KUBELET / "device-plugins"
SOCKETS = ("kubelet.sock", "gpu.sock")

# Inode, size and time of the last change of each file.
Tree = dict[Path, tuple[int, int, int]]

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
    pytest.mark.skipif(PLUGINS.exists(), reason=f"{PLUGINS} is there: a kubelet of this host has it"),
]


def command(word: str, *options: str) -> None:
    words = [sys.executable, "-m", "embedded_cluster", word, "--name", LAYOUT.name, *options]
    subprocess.run(words, cwd=ROOT, check=True, timeout=2400)


def tree(folder: Path) -> Tree:
    found = {path: path.stat() for path in (folder, *folder.rglob("*"))}
    return {each: (seen.st_ino, seen.st_size, seen.st_mtime_ns) for each, seen in found.items()}


@pytest.fixture(scope="module")
def kubelet_of_the_host() -> Iterator[Tree]:
    """What a kubelet, and the device plugin of another's, have there; both listen until the last test is done."""
    command("down")
    with ExitStack() as undo:
        # Clusters of other tests mount something there: it is removed when none of them is left. This folder stands for
        # one that outlives the cluster below.
        undo.callback(mount_points.remove)
        ANOTHER.mkdir(parents=True)
        undo.callback(ANOTHER.rmdir)
        mount_points.prepare([KUBELET])
        PLUGINS.mkdir()
        undo.callback(shutil.rmtree, PLUGINS)
        for name in SOCKETS:
            listening = undo.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(str(PLUGINS / name))
            listening.listen()
        (PLUGINS / "kubelet_internal_checkpoint").write_text("theirs")
        yield tree(KUBELET)


@pytest.fixture(scope="module", autouse=True)
def cluster(kubelet_of_the_host: Tree) -> Iterator[embedded_cluster.EmbeddedCluster]:
    command("up", "--nodes", "1", "--short-timers")
    running = embedded_cluster.find(LAYOUT.name)
    assert running is not None
    yield running
    command("down")


def undisturbed(before: Tree) -> bool:
    """Whether both sockets answer and nothing has come, gone or changed beside them."""
    for name in SOCKETS:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(PLUGINS / name))
    return tree(KUBELET) == before


def pid_of(component: str) -> int:
    state = read_state(LAYOUT)
    assert state is not None
    return next(record.pid for record in state.processes if record.component == component)


def mounted(process: int | str = "self") -> list[Path]:
    return mounts.targets(Path(f"/proc/{process}/mountinfo").read_text())


def mount_namespaces() -> set[int]:
    """Those of all processes of this host."""
    found = set()
    for pid in psutil.pids():
        with suppress(OSError):  # it has ended
            found.add(os.stat(f"/proc/{pid}/ns/mnt").st_ino)
    return found


def test_a_kubelet_of_the_host_is_undisturbed(kubelet_of_the_host: Tree) -> None:
    own = LAYOUT.node(1).state / "kubelet" / "device-plugins" / "kubelet.sock"
    assert own.is_socket()
    assert undisturbed(kubelet_of_the_host)


def test_the_host_sees_no_mount_of_a_pod(cluster: embedded_cluster.EmbeddedCluster) -> None:
    pod = use_volumes(Api.from_kubeconfig(cluster.kubeconfig), image=cluster.image)
    of_pod = KUBELET / "pods" / pod["metadata"]["uid"]
    assert [place for place in mounted(pid_of("kubelet-1")) if of_pod in place.parents]
    seen = {place for folder in (LAYOUT.state, LAYOUT.run, KUBELET) for place in mounts.below(folder)}
    in_memory = {LAYOUT.disks, LAYOUT.local, LAYOUT.local_image.parent}
    assert seen - in_memory == {LAYOUT.state, LAYOUT.replicated_mount}


def test_what_the_host_mounts_below_the_clusters_folder_comes_and_goes_on_its_nodes() -> None:
    with memory_disk(LAYOUT.state / "disk", size="1M") as disk:
        assert mounted(pid_of("kubelet-1")).count(disk) == mounted().count(disk) == 1
    assert disk not in mounted(pid_of("kubelet-1"))
    disk.rmdir()


def test_a_node_that_failed_has_a_new_namespace(kubelet_of_the_host: Tree) -> None:
    """That of before is gone when the command ends, and all its mounts: those of the pod above too."""
    # Held, its number is given to no namespace that another cluster makes meanwhile.
    with open(f"/proc/{pid_of('kubelet-1')}/ns/mnt", "rb") as held:
        before = os.fstat(held.fileno()).st_ino
        embedded_cluster.stop_node(LAYOUT.name, LAYOUT.node(1).name)
        assert before not in mount_namespaces()
    embedded_cluster.start_node(LAYOUT.name, LAYOUT.node(1).name)
    (after,) = {os.stat(f"/proc/{pid_of(name)}/ns/mnt").st_ino for name in ("kubelet-1", "containerd-1", "mounts-1")}
    assert after != os.stat("/proc/self/ns/mnt").st_ino
    assert undisturbed(kubelet_of_the_host)


def test_down_leaves_the_kubelet_and_nothing_else(kubelet_of_the_host: Tree) -> None:
    command("down")
    assert on_host([LAYOUT.name]) == set()
    assert undisturbed(kubelet_of_the_host)
