"""Faults of Longhorn itself, each seen by the suite for what it is.

Needs root; takes about twenty minutes once all is built.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import SETTINGS
from acceptance.cluster.resources import CLAIMS, PODS, Resource
from acceptance.cluster.waiting import wait_for
from embedded_cluster.longhorn.part import NAMESPACE
from selftests.integration.longhorn_cluster import (
    SIZES,
    WHOLE_S,
    longhorn_cluster,
    wait_forgotten,
)
from selftests.integration.own_cluster import OwnCluster
from selftests.integration.rebuilds import REBUILD, limits
from selftests.integration.suite import SuiteRun, finish, own, run_suite, started_suite
from selftests.lab.longhorn_parts import PLUGIN, kill

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.full,
    pytest.mark.timeout(4000),
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]

DEPLOYMENTS = Resource(prefix="apis/apps/v1", plural="deployments")
# For a run on a busy machine.
RUN_S = 1200


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[OwnCluster]:
    with longhorn_cluster("selftest-lh-faults") as own:
        yield own


@pytest.fixture(scope="module")
def api(own_cluster: OwnCluster) -> Api:
    return Api.from_kubeconfig(own_cluster.found().kubeconfig)


@pytest.fixture
def here(own_cluster: OwnCluster, clean: Api) -> Iterator[tuple[str, ...]]:
    """The options for a run on this cluster; afterwards nothing of it is left, and Longhorn is whole."""
    yield (f"--storage-embedded-name={own_cluster.layout.name}", *SIZES)
    wait_forgotten(clean)
    own_cluster.wait_until_whole(seconds=WHOLE_S)


def said_in(run: SuiteRun) -> str:
    """All that it told: on the terminal, in its verdicts and in its errors."""
    return "\n".join([run.output, *(each["reason"] for each in run.results["verdicts"]), *run.results["errors"]])


# Around volumes


@contextmanager
def setting(api: Api, name: str, value: str) -> Iterator[None]:
    before = api.get(SETTINGS, name, namespace=NAMESPACE)["value"]
    api.patch(SETTINGS, name, {"value": value}, namespace=NAMESPACE)
    try:
        yield
    finally:
        api.patch(SETTINGS, name, {"value": before}, namespace=NAMESPACE)


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
            timeout_s=120,
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
    assert {each["status"] for each in found.results["verdicts"]} == {"skipped"}
    assert "keeps one copy of its data (numberOfReplicas 1)" in said_in(found)


def test_disks_that_are_full_to_longhorn_are_not_begun_on(here: tuple[str, ...], api: Api, reports: Path) -> None:
    """All that is there must stay free."""
    options = (*here, "--storage-class=longhorn", "--storage-target=longhorn", *SIZES, "-m", "smoke", "-k", "takes_a")
    with setting(api, "storage-minimal-available-percentage", "100"):
        found = run_suite(*options, reports=reports)
    assert found.status == 10, found.output
    assert "free" in said_in(found)
    assert found.results["verdicts"] == []


@pytest.mark.parametrize(
    ("deployment", "test", "patience", "said"),
    [
        ("csi-provisioner", "takes_a_write", "30s", "to be bound"),
        ("csi-resizer", "grows", "2min", "to be expanded"),
        ("snapshot-controller", "snapshot", "2min", "snapshot"),
    ],
)
def test_a_part_of_csi_that_is_gone_is_missed_where_it_is_needed(
    deployment: str, test: str, patience: str, said: str, here: tuple[str, ...], api: Api, reports: Path
) -> None:
    with gone(api, deployment):
        found = run_suite(
            *here,
            "--storage-timeout",
            patience,
            "--storage-class=longhorn",
            "-m",
            "provisioning",
            "-k",
            test,
            reports=reports,
        )
    assert found.status == 1, found.output
    (verdict,) = found.results["verdicts"]
    assert verdict["status"] == "fail" and said in verdict["reason"]


def test_a_csi_plugin_that_is_killed_while_a_volume_comes_is_borne(
    here: tuple[str, ...], api: Api, reports: Path
) -> None:
    """On all nodes; the kubelets start it again."""
    options = (*here, "--storage-class=longhorn", "-m", "smoke", "-k", "takes_a_write")
    with started_suite(*options, reports=reports) as process:
        wait_for("a PVC of the run", look=lambda: own(api, CLAIMS), ready=bool, state=str, timeout_s=120)
        kill(api, PLUGIN, namespace=NAMESPACE)
        found = finish(process, reports=reports, timeout=RUN_S)
    assert found.status == 0, found.output
    assert found.verdict("takes_a_write")["status"] == "pass"
