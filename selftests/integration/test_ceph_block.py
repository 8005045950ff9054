"""Block devices of Ceph (RBD) on a cluster that has the lab's CSI driver, too: used, rebuilt, and gone with it.

Needs root; takes about ten minutes.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.waiting import wait_for
from embedded_cluster import loop_devices
from embedded_cluster.ceph.block import CLASS, EXPORTER
from embedded_cluster.ceph.configuration import RBD_POOL
from embedded_cluster.ceph.servers import Ceph, places_of
from embedded_cluster.commands import run
from embedded_cluster.layout import Layout
from selftests.bounds import HANGS_S
from selftests.capability_tests import capabilities_of
from selftests.integration.own_cluster import OwnCluster, write_and_read
from selftests.integration.rebuilds import REBUILD, limits
from selftests.integration.remains import on_host, processes_of
from selftests.integration.suite import run_suite
from selftests.integration.test_durability import limits as failover_limits
from selftests.integration.volume_pods import a_volume, all_gone, shell

LAYOUT = Layout("selftest-rbd")
OWN = OwnCluster(layout=LAYOUT, options=("--with", "ceph", "--with", "csi", "--short-timers"), longest_s=2400)
ON_RBD = (f"--storage-embedded-name={LAYOUT.name}", f"--storage-class={CLASS}")
NODE = LAYOUT.node(2).name
BACK_S = 240
"""for a node that comes back to be Ready, and to run its pods again"""

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.release,
    pytest.mark.timeout(2400),
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]


@pytest.fixture(scope="module", autouse=True)
def before() -> Iterator[None]:
    """The cluster is there until the module ends."""
    OWN.down()
    yield
    OWN.down()


@pytest.fixture(scope="module")
def cluster(before: None) -> embedded_cluster.EmbeddedCluster:
    return OWN.running()


@pytest.fixture(scope="module")
def api(cluster: embedded_cluster.EmbeddedCluster) -> Api:
    return Api.from_kubeconfig(cluster.kubeconfig)


@pytest.fixture
def ceph(cluster: embedded_cluster.EmbeddedCluster) -> Ceph:
    """Its daemons, as they are now."""
    return Ceph(daemons=OWN.daemons())


def rbd(*words: str) -> list[str | Path]:
    """A command of Ceph's own client."""
    return ["rbd", "--conf", places_of(LAYOUT).rbd, "--id", "rbd", *words]


def images() -> list[str]:
    """What is in the pool, by Ceph's own word."""
    found: list[str] = json.loads(run(rbd("ls", RBD_POOL, "--format=json")))
    return found


def left() -> list[Any]:
    """What volumes are made of."""
    return [*loop_devices.of_cluster(LAYOUT), *images()]


def test_status_shows_it_and_what_is_not_as_elsewhere(cluster: embedded_cluster.EmbeddedCluster) -> None:
    result = OWN.command("status")
    assert result.returncode == 0, result.stdout
    assert f"{EXPORTER}: runs as" in result.stdout and "RBD is one client on the host" in result.stdout


@pytest.mark.parametrize("block", [False, True])
def test_a_volume_is_an_image_with_three_copies(
    block: bool, api: Api, ceph: Ceph, cluster: embedded_cluster.EmbeddedCluster
) -> None:
    """What a pod has written is in Ceph, and goes with the volume."""
    name = "block" if block else "files"
    a_volume(api, name, storage_class=CLASS, image=cluster.image, block=block)
    write_and_read(api, name, block=block)
    (image,) = images()
    objects = json.loads(ceph.command("osd", "pool", "ls", "detail", "--format=json"))
    assert {pool["size"] for pool in objects if pool["pool_name"] == RBD_POOL} == {3}
    assert json.loads(run(rbd("info", f"{RBD_POOL}/{image}", "--format=json")))["size"] == 512 * 1024**2
    if block:
        run(rbd("snap", "create", "--no-progress", f"{RBD_POOL}/{image}@seen"))
        export = shlex.join(map(str, rbd("export", "--no-progress", f"{RBD_POOL}/{image}@seen", "-")))
        assert run(["sh", "-c", f"{export} 2>/dev/null | dd bs=512 skip=2048 count=1 | head -c 7"]) == "written"
    all_gone(api, name, left=left)


def test_a_node_fails_with_a_volume_and_is_restored(api: Api) -> None:
    names = OWN.node_fails_under_volumes(api, NODE, storage_class=CLASS, seconds=BACK_S)
    all_gone(api, *names, left=left)


def test_it_grows_and_has_snapshots_and_clones(tmp_path: Path) -> None:
    features = "tests/test_volume_features.py"
    found = run_suite(features, *ON_RBD, reports=tmp_path, timeout=1200)
    assert found.status == 0, found.output
    seen = {capability["capability"]: capability["status"] for capability in found.results["capabilities"]}
    assert seen == dict.fromkeys(capabilities_of(features), "seen")
    assert images() == []


def test_a_node_fails_over(api: Api, tmp_path: Path) -> None:
    """What was acknowledged on a node that failed is there on another one, which has the same device."""
    crash = ("tests/test_failover.py", "--storage-destructive", "--storage-durability-time=2s")
    found = run_suite(*crash, *ON_RBD, failover_limits(tmp_path), reports=tmp_path)
    assert found.status == 0, found.output
    assert [verdict["status"] for verdict in found.results["verdicts"]] == ["pass", "pass"]


@pytest.mark.parametrize(("pattern", "size"), [("full-data", "256Mi"), ("alternating-4k", "96Mi")])
def test_the_replicas_of_an_osd_are_rebuilt(pattern: str, size: str, ceph: Ceph, tmp_path: Path) -> None:
    options = ["-k", pattern, f"--storage-rebuild-size={size}", "--storage-rebuild-timeout=10min"]
    target = "--storage-target=embedded_cluster/ceph/target.yaml"
    found = run_suite(*REBUILD, *options, *ON_RBD, target, limits(tmp_path), reports=tmp_path, timeout=1200)
    assert found.status == 0, found.output
    (record,) = found.results["rebuilds"]
    assert (record["driver"], record["pattern"]) == ("ceph", pattern) and record["size"] > 32 * 1024**2
    assert ceph.status()["osdmap"]["num_in_osds"] == 4


# Down; the last


def test_down_after_all_was_killed_leaves_nothing(api: Api, cluster: embedded_cluster.EmbeddedCluster) -> None:
    """Volumes are mounted, and written to, whose storage went with the rest."""
    for name, block in (("left", False), ("left-block", True)):
        a_volume(api, name, storage_class=CLASS, image=cluster.image, block=block)
    shell(api, "left", "(while :; do date > /volume/file; sync /volume/file; done) > /dev/null 2>&1 &")
    attached = loop_devices.of_cluster(LAYOUT)
    assert len(attached) == 3, "one over each volume, and the kubelet's own over the block device"
    for pid in processes_of(LAYOUT.name):
        with suppress(ProcessLookupError):  # what the pod starts is short-lived
            os.kill(pid, signal.SIGKILL)
    for _ in range(2):
        OWN.down()
    assert [device for device in attached if loop_devices.is_attached(device)] == []
    wait_for(
        "nothing to be left",
        look=lambda: on_host([LAYOUT.name]),
        ready=lambda seen: not seen,
        state=str,
        timeout_s=HANGS_S,
    )
