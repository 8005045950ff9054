"""Ceph itself beside an embedded cluster: it comes up, the driver for rebuilds knows it, and nothing of it stays.

Needs root; takes ten minutes, and twenty on a busy machine.
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
from acceptance.cluster.resources import STORAGE_CLASSES
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.ceph_driver import INFLUENCES, CephDriver
from acceptance.trials.rebuild.driver import TargetVolume
from embedded_cluster.ceph import part
from embedded_cluster.ceph.servers import Ceph, components
from embedded_cluster.layout import Layout
from selftests.bounds import HANGS_S
from selftests.integration.own_cluster import OwnCluster
from selftests.integration.rebuilds import FOREGROUND, LAX, REBUILD, limits
from selftests.integration.remains import on_host, processes_of
from selftests.integration.suite import SuiteRun, finish, limits_file, run_suite, started_suite
from selftests.integration.test_durability import limits as failover_limits

LAYOUT = Layout("selftest-ceph")
OWN = OwnCluster(layout=LAYOUT, options=("--with", "ceph"), longest_s=1500)
ON_CEPH = (f"--storage-embedded-name={LAYOUT.name}", f"--storage-class={part.CLASS}")
TARGET = "embedded_cluster/ceph/target.yaml"
OSD, OTHER = 3, 1
"""the one that is taken out, and one that is lost"""
# For data to be moved, or made again, on a busy machine.
MOVED_S = 300

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


@pytest.fixture
def driver(api: Api) -> CephDriver:
    return CephDriver(api, namespace=part.NAMESPACE, toolbox=part.TOOLBOX, osd=OSD, move_timeout_s=MOVED_S)


def lose(ceph: Ceph, osd: int) -> None:
    pid = ceph.daemons.running(f"osd.{osd}")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def suite(*options: str) -> list[str]:
    """The options of a run of rebuilds on Ceph."""
    own = [*ON_CEPH, f"--storage-target={TARGET}"]
    return [
        *REBUILD,
        "-k",
        "full-data",
        "--storage-rebuild-size=256Mi",
        "--storage-rebuild-timeout=10min",
        *own,
        *options,
    ]


# Up


def test_status_tells_how_ceph_is_and_what_is_not_as_elsewhere(cluster: embedded_cluster.EmbeddedCluster) -> None:
    result = OWN.command("status")
    assert result.returncode == 0, result.stdout
    text = "\n".join(line for line in result.stdout.splitlines() if line.startswith("ceph "))
    assert "HEALTH_" in text and "no ceph-csi" in text and "no Rook" in text
    for component in components():
        assert f"{component}: runs as" in result.stdout


def test_a_second_up_leaves_it_and_one_without_parts_does_too(cluster: embedded_cluster.EmbeddedCluster) -> None:
    OWN.require_left_by_a_second_up()


def test_all_daemons_listen_on_the_clusters_address_alone(ceph: Ceph) -> None:
    shown = subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=True).stdout
    places = {line.split()[3].rpartition(":")[0] for line in shown.splitlines() if '"ceph-' in line}
    assert places == {ceph.address}


def test_the_class_is_a_folder_of_cephfs(api: Api, ceph: Ceph) -> None:
    assert api.get(STORAGE_CLASSES, part.CLASS)["parameters"]["mountedBy"] == "ceph-fuse"
    assert "fuse" in subprocess.run(["stat", "-fc", "%T", LAYOUT.cephfs], capture_output=True, text=True).stdout


# What the driver makes of it


def test_the_driver_reads_what_ceph_says(driver: CephDriver) -> None:
    driver.require_ready()
    rebuild = driver.rebuild_of(volume())
    rebuild.require_whole()
    assert set(rebuild.settings()) == set(INFLUENCES)
    assert rebuild.undo().how == f"ceph osd in {OSD}"
    with pytest.raises(EnvironmentFailure, match=r"`ceph osd out x` ended with 22"):
        driver.run("osd", "out", "x")


def volume() -> TargetVolume:
    """Some volume; Ceph tells nothing of single ones."""
    return TargetVolume(volume="v", claim="c", namespace="n", storage_class=part.CLASS, node="node", size=1)


def _require_rebuilt(found: SuiteRun, ceph: Ceph) -> None:
    """The run says pass, and Ceph is as it was."""
    assert found.status == 0, found.output
    (record,) = found.results["rebuilds"]
    # Three copies on four OSDs: each holds about three quarters of the data.
    assert record["driver"] == "ceph" and 128 * 1024**2 < record["size"] < 512 * 1024**2
    (timed,) = record["rebuilds"]
    assert timed["trigger"] == f"osd.{OSD} taken out" and timed["seconds"] > 0
    status = ceph.status()
    assert status["osdmap"]["num_in_osds"] == 4
    assert [each["state_name"] for each in status["pgmap"]["pgs_by_state"]] == ["active+clean"]


def test_the_replicas_of_an_osd_are_rebuilt_under_load(ceph: Ceph, tmp_path: Path) -> None:
    found = run_suite(*suite(limits(tmp_path, LAX + FOREGROUND)), reports=tmp_path, timeout=1200)
    _require_rebuilt(found, ceph)
    assert {verdict["status"] for verdict in found.results["verdicts"]} == {"pass"}


def test_scattered_pieces_are_rebuilt(ceph: Ceph, tmp_path: Path) -> None:
    """They are written slowly here, and stored without their holes: what an OSD has of them is what is rebuilt."""
    options = ["-k", "alternating-4k", "--storage-rebuild-size=96Mi"]
    found = run_suite(*suite(*options, limits(tmp_path)), reports=tmp_path, timeout=1200)
    assert found.status == 0, found.output
    (record,) = found.results["rebuilds"]
    assert (record["driver"], record["pattern"]) == ("ceph", "alternating-4k")
    assert record["rebuilds"][0]["seconds"] > 0
    assert ceph.status()["osdmap"]["num_in_osds"] == 4


def test_an_osd_that_dies_in_mid_rebuild_is_waited_for(ceph: Ceph, tmp_path: Path) -> None:
    """Ceph waits 10 min before it makes its copies anew, so that it comes back to what it had."""
    with started_suite(*suite(limits(tmp_path)), reports=tmp_path) as process:
        wait_for(
            "the OSD to be taken out",
            look=ceph.status,
            ready=lambda seen: seen["osdmap"]["num_in_osds"] == 3,
            state=lambda seen: str(seen["osdmap"]),
            timeout_s=MOVED_S,
        )
        lose(ceph, OTHER)
        wait_for(
            "the other one to be missed",
            look=ceph.status,
            ready=lambda seen: seen["osdmap"]["num_up_osds"] == 3,
            state=lambda seen: str(seen["osdmap"]),
            timeout_s=HANGS_S,
        )
        ceph.start_osd(OTHER)
        found = finish(process, reports=tmp_path, timeout=1200)
    _require_rebuilt(found, ceph)


def test_nothing_is_taken_out_while_an_osd_is_lost(ceph: Ceph, driver: CephDriver) -> None:
    lose(ceph, OTHER)
    rebuild = driver.rebuild_of(volume())

    def refused() -> str:
        try:
            rebuild.require_whole()
        except EnvironmentFailure as error:
            return str(error)
        return ""

    wait_for("the driver to refuse", look=refused, ready=bool, state=str, timeout_s=HANGS_S)
    assert any(obstacle.startswith("OSD_DOWN: ") for obstacle in rebuild.obstacles())
    assert OWN.command("status").returncode == 1
    ceph.start_osd(OTHER)
    wait_for("Ceph to be whole", look=refused, ready=lambda text: not text, state=str, timeout_s=MOVED_S)
    assert OWN.command("status").returncode == 0


# The suite on its class


def test_a_node_fails_over(api: Api, tmp_path: Path) -> None:
    """What was acknowledged on a node that failed is there on another one."""
    crash = ("tests/test_failover.py", "--storage-destructive", "--storage-durability-time=2s")
    found = run_suite(*crash, *ON_CEPH, failover_limits(tmp_path), reports=tmp_path)
    assert found.status == 0, found.output
    assert [verdict["status"] for verdict in found.results["verdicts"]] == ["pass", "pass"]
    (failover,) = found.results["failovers"]
    assert failover["failed_node"] != failover["node"]


def test_it_is_compared_with_a_local_disk(tmp_path: Path) -> None:
    """Its copies go to three OSDs, so that synchronous writes cannot be as many as on the disk below."""
    options = [f"--storage-thresholds={limits_file(tmp_path, iops=1)}", "--storage-baseline-class=local-path"]
    found = run_suite(*ON_CEPH, *options, "-m", "comparison", "-k", "sync-write", reports=tmp_path)
    assert found.status == 0, found.output
    verdict = found.verdict("class_is_not_faster_than_local")
    assert verdict["status"] == "pass", verdict


# Down; the last


def test_down_after_all_was_killed_leaves_nothing_and_again_is_no_error(ceph: Ceph) -> None:
    """And after an up that finds all of it dead."""
    for pid in processes_of(LAYOUT.name):
        os.kill(pid, signal.SIGKILL)
    OWN.up()
    for pid in processes_of(LAYOUT.name):
        os.kill(pid, signal.SIGKILL)
    for _ in range(2):
        OWN.down()
    assert on_host([LAYOUT.name]) == set()
    assert str(LAYOUT.state) not in Path("/proc/self/mountinfo").read_text()
