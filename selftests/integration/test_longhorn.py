"""Longhorn itself on an embedded cluster: it comes up, its volumes survive a node, and nothing of it stays.

Needs root; takes about ten minutes once all is built, which takes some twenty more.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import NODES, STORAGE_CLASSES, Object
from acceptance.cluster.waiting import wait_for
from embedded_cluster import longhorn_mounts, loop_devices
from embedded_cluster.layout import STATE_ROOT, Layout
from embedded_cluster.longhorn.part import CLASSES
from selftests.bounds import HANGS_S
from selftests.integration.own_cluster import OwnCluster, wait_until_printed, write_and_read
from selftests.integration.remains import cluster_names, on_host, processes_of
from selftests.integration.volume_pods import a_claim, a_pod, gone, shell, wait_until_running

LAYOUT = Layout("selftest-longhorn")
OWN = OwnCluster(layout=LAYOUT, options=("--with", "longhorn", "--short-timers"), longest_s=3600)
NODE = LAYOUT.node(2).name
# For a volume whose node comes back to be attached anew.
BACK_S = 420

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.release,
    pytest.mark.timeout(4000),
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]


def attached() -> set[str]:
    """The loop devices over files of the adaptor's, and over other loop devices."""
    behind = {path.parts[3]: path.read_text().strip() for path in Path("/sys/block").glob("loop*/loop/backing_file")}
    return {f"{name} over {file}" for name, file in behind.items() if "longhorn" in file or "volumeDevices" in file}


def places() -> set[str]:
    """What goes with the last cluster of this host: folders, and files of devices."""
    return {str(path) for path in Path("/dev").iterdir() if path.name.startswith(("loop", "longhorn"))} | {
        str(path) for path in (longhorn_mounts.STATE, STATE_ROOT / ".loop-devices.json") if path.exists()
    }


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


def test_status_tells_what_is_longhorns_and_what_is_not(cluster: embedded_cluster.EmbeddedCluster) -> None:
    result = OWN.command("status")
    assert result.returncode == 0, result.stdout
    lines = [line for line in result.stdout.splitlines() if line.startswith("longhorn ")]
    text = "\n".join(lines)
    for number in (1, 2, 3):
        assert LAYOUT.node(number).name in text
    assert "deployed" in text
    assert "driver.longhorn.io on 3 of 3 nodes" in text
    assert "in place of iSCSI" in text
    assert "not Longhorn's: tgtd" in text


def test_a_second_up_leaves_it_and_one_without_parts_does_too(cluster: embedded_cluster.EmbeddedCluster) -> None:
    OWN.require_left_by_a_second_up()


def test_the_hosts_packet_filter_has_nothing_of_the_services(cluster: embedded_cluster.EmbeddedCluster) -> None:
    shown = subprocess.run(["nft", "list", "tables"], capture_output=True, text=True, check=True).stdout
    assert "kube-proxy" not in shown


# Volumes


@pytest.mark.parametrize("storage_class", CLASSES)
@pytest.mark.parametrize("block", [False, True])
def test_a_volume_of_each_class_is_written_and_read(
    storage_class: str, block: bool, api: Api, cluster: embedded_cluster.EmbeddedCluster
) -> None:
    name = f"{storage_class}-{'block' if block else 'files'}"
    assert api.get(STORAGE_CLASSES, storage_class)["parameters"]["fsType"] == "xfs"
    a_claim(api, name, storage_class=storage_class, mode="Block" if block else "Filesystem")
    a_pod(api, name, image=cluster.image, block=block)
    wait_until_running(api, name)
    write_and_read(api, name, block=block)
    gone(api, name)


# A node


def test_a_node_fails_with_a_volume_and_is_restored(api: Api, cluster: embedded_cluster.EmbeddedCluster) -> None:
    """Its block devices go with it; what was synced is there when the pod runs again."""
    a_claim(api, "survivor", storage_class="longhorn")
    a_pod(api, "survivor", image=cluster.image, node=NODE)
    wait_until_running(api, "survivor")
    shell(api, "survivor", "echo kept > /volume/file; sync /volume/file")
    assert loop_devices.of_cluster(LAYOUT)
    embedded_cluster.stop_node(LAYOUT.name, NODE)
    assert loop_devices.longhorn_devices([LAYOUT.node(2)]) == []
    wait_for(
        "the node to count as lost",
        look=lambda: api.get(NODES, NODE),
        ready=lambda node: not _is_ready(node),
        state=lambda node: str(node["status"]["conditions"]),
        timeout_s=HANGS_S,
    )
    assert OWN.command("status").returncode == 1
    embedded_cluster.start_node(LAYOUT.name, NODE)
    OWN.wait_until_whole(seconds=BACK_S)
    wait_until_running(api, "survivor", seconds=BACK_S)
    wait_until_printed(api, "survivor", "cat /volume/file", wanted="kept\n", seconds=BACK_S)
    gone(api, "survivor")


def _is_ready(node: Object) -> bool:
    return any(
        condition["type"] == "Ready" and condition["status"] == "True" for condition in node["status"]["conditions"]
    )


# Down; the last


def test_down_after_all_was_killed_leaves_nothing_and_again_is_no_error(
    before: set[str], api: Api, cluster: embedded_cluster.EmbeddedCluster
) -> None:
    """A pod has its volume mounted."""
    a_claim(api, "left", storage_class="longhorn-2")
    a_pod(api, "left", image=cluster.image)
    wait_until_running(api, "left")
    for pid in processes_of(LAYOUT.name):
        os.kill(pid, signal.SIGKILL)
    for _ in range(2):
        OWN.down()
    assert on_host([LAYOUT.name]) == set()
    assert attached() == set()
    if not cluster_names():
        assert places() <= before
