"""What `deploy/` holds, applied as it is: the suite runs in a cluster as its service account, and keeps its report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, CONFIG_MAPS, NAMESPACES
from acceptance.cluster.waiting import wait_for
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.state import ClusterState, read_state
from selftests.bounds import HANGS_S
from selftests.integration import in_cluster
from selftests.integration.in_cluster import ended, loaded, read_reports, start, status_of
from selftests.integration.suite import CLUSTER, left_behind
from selftests.lab.accounts import ACCOUNT
from selftests.lab.suite_image import write_suite_image

pytestmark = pytest.mark.disrupts


@pytest.fixture(scope="module")
def state(cluster: embedded_cluster.EmbeddedCluster) -> ClusterState:
    """What the embedded cluster knows of itself."""
    found = read_state(Layout(CLUSTER))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def image(state: ClusterState, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The suite's image, on one node."""
    archive = tmp_path_factory.mktemp("image") / "suite.tar"
    with loaded(state, archive, write_suite_image(archive)) as reference:
        archive.unlink()
        yield reference


@pytest.fixture(scope="module")
def kubectl(cluster: embedded_cluster.EmbeddedCluster) -> Kubectl:
    """The cluster's own, as whoever reads docs/in-cluster.md would use theirs."""
    return Kubectl.of(Layout(CLUSTER))


@pytest.fixture(scope="module")
def deployed(
    api: Api, kubectl: Kubectl, state: ClusterState, image: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """The CronJob is there, and what it needs."""
    with in_cluster.deployed(api, kubectl, state, image, tmp_path_factory.mktemp("deploy") / "deploy"):
        yield


def test_good_storage_completes_the_job_and_its_report_is_on_the_claim(
    deployed: None, api: Api, kubectl: Kubectl, state: ClusterState, image: str, tmp_path: Path
) -> None:
    start(kubectl, "good")
    how, pod, log = ended(api, "good")
    assert (how, status_of(pod)) == ("Complete", 0), log
    assert "nothing to remove" in log  # of runs before
    (results,) = read_reports(kubectl, state, tmp_path / "reports")
    assert results["run"]["exit_status"] == 0 and results["run"]["complete"]
    assert results["cluster"]["kind"] == "in-cluster" and results["cluster"]["image"]["reference"] == image
    assert {verdict["status"] for verdict in results["verdicts"]} == {"pass"}
    (report,) = (tmp_path / "reports").glob("2*/report.html")
    assert "random-read-iops" in report.read_text()
    assert results["run"]["id"] in (tmp_path / "reports" / "history.jsonl").read_text()
    assert left_behind(api, by_anyone=True) == []


@pytest.mark.full
def test_storage_that_binds_too_late_fails_the_job(deployed: None, api: Api, kubectl: Kubectl) -> None:
    body = {"data": {"STORAGE_TIER": "impossible", "PYTEST_ADDOPTS": "-k binds_in_time"}}
    api.patch(CONFIG_MAPS, ACCOUNT, body, namespace=ACCOUNT)
    start(kubectl, "slow")
    how, pod, log = ended(api, "slow")
    assert (how, status_of(pod)) == ("Failed", 1), log
    assert "FAIL" in log and "at most 1 ms" in log
    assert left_behind(api, by_anyone=True) == []


def test_a_job_that_is_deleted_in_mid_run_leaves_nothing(deployed: None, api: Api, kubectl: Kubectl) -> None:
    start(kubectl, "ended")

    def working() -> list[str]:
        runs = [each["metadata"]["name"] for each in api.list(NAMESPACES)]
        return [
            claim["metadata"]["name"]
            for name in runs
            if name.startswith(f"{ACCOUNT}-")
            for claim in api.list(CLAIMS, namespace=name)
        ]

    wait_for("the run to have a claim", look=working, ready=bool, state=str, timeout_s=HANGS_S)
    kubectl.run("delete", "job", "ended", f"--namespace={ACCOUNT}", "--cascade=foreground", timeout=400)
    assert left_behind(api, by_anyone=True) == []
