"""Faults of Longhorn itself, each seen by the suite for what it is: around volumes, and of volumes under load.
Those of rebuilds are in `test_longhorn_rebuild_faults.py`.

Needs root; takes about half an hour once all is built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.resources import CLAIMS, PODS, Object, Resource
from acceptance.cluster.waiting import wait_for
from acceptance.trials.rebuild.longhorn_objects import LonghornView
from embedded_cluster.longhorn.part import NAMESPACE
from selftests.bounds import HANGS_S
from selftests.integration.faults import PROFILE, assert_measured_well, steady_load
from selftests.integration.longhorn_cluster import RUN_S, SIZES, longhorn_cluster, options_here, said_in
from selftests.integration.longhorn_volumes import BEGUN_S, setting, wait_until
from selftests.integration.own_cluster import OwnCluster
from selftests.integration.rebuilds import REBUILD, limits
from selftests.integration.suite import SuiteRun, finish, left_behind, own, run_suite, started_suite, wait_for_load
from selftests.lab.longhorn_parts import INSTANCE_MANAGER, PLUGIN, engine_of, kill, replica_of

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.release,
    pytest.mark.timeout(4000),
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]

DEPLOYMENTS = Resource(prefix="apis/apps/v1", plural="deployments")
# Kubernetes' own: an attachment is let go of 6 min after its pod is gone, where nobody said that it was unmounted.
DETACHED_S = 600


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[OwnCluster]:
    with longhorn_cluster("selftest-lh-faults") as own:
        yield own


@pytest.fixture(scope="module")
def api(own_cluster: OwnCluster) -> Api:
    return Api.from_kubeconfig(own_cluster.found().kubeconfig)


@pytest.fixture
def here(own_cluster: OwnCluster, clean: Api) -> Iterator[tuple[str, ...]]:
    with options_here(own_cluster, clean) as options:
        yield options


# Around volumes


@contextmanager
def gone(api: Api, deployment: str) -> Iterator[None]:
    """None of its pods runs for as long as the block."""

    def have(count: int) -> None:
        api.patch(DEPLOYMENTS, deployment, {"spec": {"replicas": count}}, namespace=NAMESPACE)
        wait_for(
            f"{deployment} to have {count} pods",
            look=lambda: [
                each
                for each in api.list(PODS, namespace=NAMESPACE, labels=f"app={deployment}")
                if count == 0 or each["status"]["phase"] == "Running"
            ],
            ready=lambda seen: len(seen) == count,
            state=lambda seen: f"{len(seen)} pods",
            timeout_s=HANGS_S,
        )

    have(0)
    try:
        yield
    finally:
        have(1)


def test_rebuilds_that_a_setting_forbids(here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path) -> None:
    with setting(api, "concurrent-replica-rebuild-per-node-limit", "0"):
        found = run_suite(*REBUILD, *here, "--storage-class=longhorn", limits(tmp_path), reports=reports)
    assert found.status == 10, found.output
    assert "no replica is ever rebuilt" in said_in(found)
    assert found.results["rebuilds"] == [] and found.results["verdicts"] == []


def test_a_class_with_one_replica_has_none_to_lose(here: tuple[str, ...], reports: Path, tmp_path: Path) -> None:
    found = run_suite(*REBUILD, *here, "--storage-class=longhorn-strict-local", limits(tmp_path), reports=reports)
    assert found.status == 5, found.output
    assert {verdict["status"] for verdict in found.results["verdicts"]} == {"skipped"}
    assert "keeps one copy of its data (numberOfReplicas 1)" in said_in(found)


def test_disks_that_are_full_to_longhorn_are_not_begun_on(here: tuple[str, ...], api: Api, reports: Path) -> None:
    """All that is there must stay free."""
    options = (*here, "--storage-class=longhorn", "--storage-target=longhorn", *SIZES, "-m", "smoke", "-k", "takes_a")
    with setting(api, "storage-minimal-available-percentage", "100"):
        found = run_suite(*options, reports=reports, timeout=RUN_S)
    assert found.status == 10, found.output
    assert "free" in said_in(found)
    assert found.results["verdicts"] == []


def test_the_space_of_a_full_volume_is_given_back(here: tuple[str, ...], reports: Path) -> None:
    """The embedded cluster knows what all replicas take of the disk; no target file is needed."""
    full = ("tests/test_full_volumes.py", "--storage-destructive", "--storage-timeout=10min")
    found = run_suite(*full, "--storage-class=longhorn", *here, reports=reports, timeout=RUN_S)
    assert found.status == 0, found.output
    space = found.verdict("deleted_full_volume_releases_its_space")
    assert space["status"] == "pass" and "after all volumes were deleted" in space["reason"], space
    trim = found.verdict("full_volume_releases_the_space_of_deleted_files")
    assert trim["status"] == "skipped" and "nothing trims a volume of StorageClass longhorn" in trim["reason"], trim


@pytest.mark.parametrize(
    ("deployment", "test", "patience", "said"),
    [
        ("csi-provisioner", "takes_a_write", "30s", "to be bound"),
        ("csi-attacher", "takes_a_write", "30s", "to start"),
        ("csi-resizer", "grows", "2min", "to be expanded"),
        ("snapshot-controller", "snapshot", "2min", "snapshot"),
    ],
)
def test_a_part_of_csi_that_is_gone_is_missed_where_it_is_needed(
    deployment: str, test: str, patience: str, said: str, here: tuple[str, ...], api: Api, reports: Path
) -> None:
    options = (*here, "--storage-timeout", patience, "--storage-class=longhorn", "-m", "provisioning", "-k", test)
    with gone(api, deployment):
        found = run_suite(*options, reports=reports, timeout=RUN_S)
    assert found.status == 1, found.output
    (verdict,) = found.results["verdicts"]
    assert verdict["status"] == "fail" and said in verdict["reason"]
    # Nobody else lets go of a volume that was to be attached: it is a leak, by name, and goes once the part is back.
    leaks = [error for error in found.results["errors"] if error.startswith("left behind in the cluster")]
    assert len(leaks) == (deployment == "csi-attacher"), found.results["errors"]
    wait_for(
        "what is left to go",
        look=lambda: left_behind(api),
        ready=lambda seen: not seen,
        state=", ".join,
        timeout_s=DETACHED_S,
    )


def test_a_csi_plugin_that_is_killed_while_a_volume_comes_is_borne(
    here: tuple[str, ...], api: Api, reports: Path
) -> None:
    """On all nodes; the kubelets start it again."""
    options = (*here, "--storage-class=longhorn", "-m", "smoke", "-k", "takes_a_write")
    with started_suite(*options, reports=reports) as process:
        wait_for("a PVC of the run", look=lambda: own(api, CLAIMS), ready=bool, state=str, timeout_s=HANGS_S)
        kill(api, PLUGIN, namespace=NAMESPACE)
        found = finish(process, reports=reports, timeout=RUN_S)
    assert found.status == 0, found.output
    assert found.verdict("takes_a_write")["status"] == "pass"


# Volumes under load


def loaded(
    harm: Callable[[LonghornView, str], object], here: tuple[str, ...], api: Api, reports: Path, folder: Path
) -> SuiteRun:
    """A measurement in the midst of which the volume, used on that node, comes to harm."""
    options = [*steady_load(folder, storage_class="longhorn"), *here]
    with started_suite(*options, reports=reports) as process:
        pod = wait_for_load(api, profile=PROFILE, timeout_s=BEGUN_S)
        wait_until_loaded(api, pod)
        volume = wait_until(
            api, reports, "the volume to be whole", lambda seen: len(seen.readable) == seen.desired_replicas
        )
        harm(volume, pod["spec"]["nodeName"])
        return finish(process, reports=reports, timeout=RUN_S)


def wait_until_loaded(api: Api, pod: Object) -> None:
    """Until the load prints: its file is there by then."""
    name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
    wait_for(
        "the load to print its first second",
        look=lambda: api.log(name, namespace=namespace, container=MAIN),
        ready=lambda seen: '"jobs"' in seen,
        state=lambda seen: f"{len(seen)} bytes",
        timeout_s=BEGUN_S,
    )


def away_from(view: LonghornView, node: str) -> Object:
    """A replica on another node than that which uses the volume."""
    return dict(next(replica for replica in view.replicas if replica["spec"]["nodeID"] != node))


def test_a_replica_that_is_killed_is_borne(here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path) -> None:
    def harm(view: LonghornView, node: str) -> None:
        lost = away_from(view, node)["metadata"]["name"]
        kill(api, replica_of(view.name, lost), namespace=NAMESPACE)

    assert_measured_well(loaded(harm, here, api, reports, tmp_path))


def test_an_instance_manager_of_another_node_that_is_killed_is_borne(
    here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path
) -> None:
    """All replicas and engines of that node go with it."""

    def harm(view: LonghornView, node: str) -> None:
        kill(api, INSTANCE_MANAGER, namespace=NAMESPACE, node=away_from(view, node)["spec"]["nodeID"])

    assert_measured_well(loaded(harm, here, api, reports, tmp_path))


@pytest.mark.parametrize("part", ["engine", "instance manager"])
def test_an_engine_that_is_killed_is_an_error_of_the_storage(
    part: str, here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path
) -> None:
    """The device gives errors, and a file system on it ends; Longhorn makes a new engine for whoever comes next."""

    def harm(view: LonghornView, node: str) -> None:
        killed = engine_of(view.name) if part == "engine" else INSTANCE_MANAGER
        kill(api, killed, namespace=NAMESPACE, node=node)

    found = loaded(harm, here, api, reports, tmp_path)
    assert found.status == 1, found.output
    (verdict,) = found.results["verdicts"]
    assert verdict["status"] == "fail" and "Input/output error" in verdict["reason"]
    assert found.results["measurements"] == []
