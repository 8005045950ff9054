"""The lab's CSI driver on a cluster of its own: it comes up, its volumes survive a node, and nothing of it stays.

Needs root; takes about three minutes once all is built.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.waiting import wait_for
from embedded_cluster import loop_devices
from embedded_cluster.commands import run
from embedded_cluster.csi import driver
from embedded_cluster.csi.part import CLASS
from embedded_cluster.layout import STATE_ROOT, Layout
from embedded_cluster.loop_devices import LoopDevice
from selftests.bounds import HANGS_S
from selftests.integration.own_cluster import OwnCluster, write_and_read
from selftests.integration.remains import cluster_names, on_host, processes_of
from selftests.integration.volume_pods import a_volume, all_gone, shell

LAYOUT = Layout("selftest-csi")
OWN = OwnCluster(layout=LAYOUT, options=("--with", "csi", "--short-timers"), longest_s=2000)
NODE = LAYOUT.node(2).name
BACK_S = 180
"""for a node that comes back to be Ready, and to run its pods again"""

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.full,
    pytest.mark.timeout(2400),
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]


def places() -> set[str]:
    """What goes with the last cluster of this host: files of loop devices, and the record of them."""
    devices = {str(path) for path in Path("/dev").glob("loop*")}
    return devices | {str(path) for path in [STATE_ROOT / ".loop-devices.json"] if path.exists()}


@pytest.fixture(scope="module", autouse=True)
def before() -> Iterator[set[str]]:
    """The places as they were; the cluster is there until the module ends."""
    OWN.down()
    yield places()
    OWN.down()


@pytest.fixture(scope="module")
def cluster(before: set[str]) -> embedded_cluster.EmbeddedCluster:
    return OWN.running()


@pytest.fixture(scope="module")
def api(cluster: embedded_cluster.EmbeddedCluster) -> Api:
    return Api.from_kubeconfig(cluster.kubeconfig)


# Up


def test_status_shows_the_driver_on_all_nodes(cluster: embedded_cluster.EmbeddedCluster) -> None:
    result = OWN.command("status")
    assert result.returncode == 0, result.stdout
    assert f"{driver.NAME} on 3 of 3 nodes" in result.stdout
    assert "not Kubernetes': node-driver-registrar" in result.stdout
    assert f"class       {CLASS}: {driver.NAME}" in result.stdout


def test_a_second_up_leaves_it_and_one_without_parts_does_too(cluster: embedded_cluster.EmbeddedCluster) -> None:
    OWN.require_left_by_a_second_up()


# Volumes


def devices() -> list[LoopDevice]:
    return loop_devices.of_cluster(LAYOUT)


@pytest.mark.parametrize("block", [False, True])
def test_a_volume_is_written_and_read_and_leaves_no_device(
    block: bool, api: Api, cluster: embedded_cluster.EmbeddedCluster
) -> None:
    name = "block" if block else "files"
    a_volume(api, name, storage_class=CLASS, image=cluster.image, block=block)
    write_and_read(api, name, block=block)
    assert devices()
    all_gone(api, name, left=devices)


# A node


def test_a_node_fails_with_a_volume_and_is_restored(api: Api) -> None:
    """Its file systems go with it; what was synced is there when the pods run again, over one loop device each."""

    def meanwhile() -> None:
        wait_for(
            "the volumes to be attached nowhere",
            look=devices,
            ready=lambda seen: not seen,
            state=str,
            timeout_s=HANGS_S,
        )
        failed = OWN.command("status")
        assert failed.returncode == 1 and "csi-driver-2 is dead" in failed.stdout

    names = OWN.node_fails_under_volumes(api, NODE, storage_class=CLASS, seconds=BACK_S, meanwhile=meanwhile)
    assert len(loop_devices.pool_devices(LAYOUT)) == 2
    all_gone(api, *names, left=devices)


# Down; the last


def freeze(device: LoopDevice) -> None:
    """Mount the file system where the driver does, and freeze it."""
    path = LAYOUT.csi.frozen / "left"
    path.mkdir()
    run(["mount", "-o", "nouuid", f"/dev/{device.name}", path])
    run(["fsfreeze", "--freeze", path])


def test_down_after_all_was_killed_leaves_nothing_and_again_is_no_error(
    before: set[str], api: Api, cluster: embedded_cluster.EmbeddedCluster
) -> None:
    """Pods have volumes mounted, and one as a block device, which outlives all processes; the file system is frozen.

    As the driver has it while it copies: what writes to it cannot be killed before it goes on.
    """
    a_volume(api, "left", storage_class=CLASS, image=cluster.image)
    (file_system,) = loop_devices.pool_devices(LAYOUT)
    a_volume(api, "left-block", storage_class=CLASS, image=cluster.image, block=True)
    attached = devices()
    assert len(attached) == 3, "one over each volume, and the kubelet's own over the block device"
    shell(api, "left", "(while :; do date > /volume/file; sync /volume/file; done) > /dev/null 2>&1 &")
    freeze(file_system)
    for pid in processes_of(LAYOUT.name):
        os.kill(pid, signal.SIGKILL)
    for _ in range(2):
        OWN.down()
    assert [device for device in attached if loop_devices.is_attached(device)] == []
    # A zombie is there until somebody reaps it.
    wait_for(
        "nothing to be left",
        look=lambda: on_host([LAYOUT.name]),
        ready=lambda seen: not seen,
        state=str,
        timeout_s=HANGS_S,
    )
    if not cluster_names():
        assert places() <= before
