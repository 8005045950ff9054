"""The node of a measurement loses its kubelet for a while, or itself."""

from pathlib import Path

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.nodes import is_up
from acceptance.cluster.resources import NODES
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from selftests.bounds import HANGS_S
from selftests.integration.faults import PROFILE, assert_measured_well, steady_load
from selftests.integration.suite import finish, started_suite, wait_for_load
from selftests.lab.components import kubelet_of, restart, stopped

pytestmark = pytest.mark.disrupts


def wait_ready(api: Api, node: str, *, ready: bool) -> None:
    wait_for(
        f"node {node} to be {'' if ready else 'not '}ready",
        look=lambda: is_up(api.get(NODES, node)),
        ready=lambda up: up == ready,
        state=lambda up: "ready" if up else "not ready",
        timeout_s=HANGS_S,
    )


def test_a_kubelet_restarted_in_mid_measurement_is_borne(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    with started_suite(*steady_load(tmp_path), reports=reports) as process:
        node = wait_for_load(clean, profile=PROFILE)["spec"]["nodeName"]
        restart(cluster.name, kubelet_of(node), down_s=4)
        run = finish(process, reports=reports)
    assert_measured_well(run)


def test_a_node_that_is_not_ready_for_a_while_is_waited_for(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Its pod runs on and keeps its log, so the measurement is whole when the node is back."""
    with started_suite(*steady_load(tmp_path), reports=reports) as process:
        node = wait_for_load(clean, profile=PROFILE)["spec"]["nodeName"]
        with stopped(cluster.name, kubelet_of(node)):
            wait_ready(clean, node, ready=False)
        run = finish(process, reports=reports)
    wait_ready(clean, node, ready=True)
    assert_measured_well(run)


def test_a_node_that_fails_in_mid_measurement_is_named(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """All of it is killed, the pod too; what the pod left is removed once the node is back."""
    with started_suite(*steady_load(tmp_path), reports=reports) as process:
        node = wait_for_load(clean, profile=PROFILE)["spec"]["nodeName"]
        embedded_cluster.stop_node(cluster.name, node)
        try:
            wait_ready(clean, node, ready=False)
        finally:
            embedded_cluster.start_node(cluster.name, node)
        run = finish(process, reports=reports)
    wait_ready(clean, node, ready=True)
    assert run.status == 10, run.output
    assert run.results["verdicts"] == []
    assert f"was lost with its node {node}" in run.results["errors"][0]
