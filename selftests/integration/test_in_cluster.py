"""What `deploy/` holds, applied as it is: the suite runs in a cluster as its service account, and keeps its report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, CONFIG_MAPS, NAMESPACES, PODS, VOLUMES, Object, Resource
from acceptance.cluster.waiting import wait_for
from embedded_cluster.commands import run
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.state import ClusterState, read_state
from selftests.integration.suite import CLUSTER, left_behind
from selftests.lab.accounts import ACCOUNT, DEPLOY
from selftests.lab.suite_image import write_suite_image

pytestmark = pytest.mark.disrupts

JOBS = Resource(prefix="apis/batch/v1", plural="jobs")
READER = "storage-acceptance-reports"
NODE = f"{CLUSTER}-node-1"
LIMITS = """\
version: 1
tiers:
  baseline:
    description: for a test of the suite
    limits:
      random-read-iops:
        read.iops: {at_least: 1, because: the test wants it so}
  impossible:
    description: for a test of the suite
    provisioning:
      bind_time: {at_most: 1ms, because: the test wants it so}
"""


@pytest.fixture(scope="module")
def state(cluster: embedded_cluster.EmbeddedCluster) -> ClusterState:
    """What the embedded cluster knows of itself."""
    found = read_state(Layout(CLUSTER))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def image(state: ClusterState, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The suite's image, on one node: on each it would take half a gigabyte."""
    archive = tmp_path_factory.mktemp("image") / "suite.tar"
    reference = write_suite_image(archive)
    ctr: list[str | Path] = ["ctr", "--address", Layout(CLUSTER).node(1).containerd_socket, "--namespace", "k8s.io"]
    run([*ctr, "images", "import", "--snapshotter", state.snapshotter, archive], timeout=180)
    archive.unlink()
    yield reference
    run([*ctr, "images", "rm", "--sync", reference], timeout=60)


@pytest.fixture(scope="module")
def kubectl(cluster: embedded_cluster.EmbeddedCluster) -> Kubectl:
    """The cluster's own, as whoever reads docs/in-cluster.md would use theirs."""
    return Kubectl.of(Layout(CLUSTER))


@pytest.fixture(scope="module")
def deployed(
    api: Api, kubectl: Kubectl, state: ClusterState, image: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """`deploy/` with its settings filled in, on the node that has the image; gone afterwards with all it made."""
    folder = tmp_path_factory.mktemp("deploy") / "deploy"
    shutil.copytree(DEPLOY, folder)
    _fill_in(folder / "settings.yaml", data=_settings(state, image))
    # The class under test as well: a run must not take this volume for one of its own, or for one that waits.
    claim = yaml.safe_load((folder / "reports.yaml").read_text())["spec"]
    _fill_in(folder / "reports.yaml", spec=claim | {"storageClassName": "replicated"})
    _pin(folder / "kustomization.yaml")
    (folder / "thresholds.yaml").write_text(LIMITS)
    kubectl.run("apply", "-k", str(folder))
    kubectl.run(
        "create",
        "configmap",
        "storage-acceptance-files",
        f"--namespace={ACCOUNT}",
        f"--from-file={folder}/thresholds.yaml",
    )
    yield
    kubectl.run("delete", "-k", str(folder), timeout=120)
    wait_for("its volume to go", look=lambda: _volumes(api), ready=lambda seen: not seen, state=str, timeout_s=60)


def _settings(state: ClusterState, image: str) -> dict[str, str]:
    return {
        "STORAGE_IMAGE": image,
        "STORAGE_CLASS": "replicated",
        "STORAGE_NODE": NODE,
        "STORAGE_TIER": "baseline",
        "STORAGE_THRESHOLDS": "/files/thresholds.yaml",
        "STORAGE_VOLUME_SIZE": "160Mi",
        "STORAGE_TEST_SIZE": "64Mi",
        "PYTEST_ADDOPTS": "-k random-read-iops",
        # The embedded cluster has no kube-proxy, so its service address leads nowhere.
        "KUBERNETES_SERVICE_HOST": state.gateway,
        "KUBERNETES_SERVICE_PORT": str(state.ports["kube-apiserver"]),
    }


def _fill_in(file: Path, **parts: Object) -> None:
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | parts))


def _pin(file: Path) -> None:
    """Have the pods of the CronJob on the node that has the image."""
    content = yaml.safe_load(file.read_text())
    spec = {"nodeSelector": {"kubernetes.io/hostname": NODE}}
    body = {"spec": {"jobTemplate": {"spec": {"template": {"spec": spec}}}}}
    name = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": ACCOUNT}}
    content["patches"] = [{"target": {"kind": "CronJob"}, "patch": yaml.safe_dump(name | body)}]
    file.write_text(yaml.safe_dump(content))


def _volumes(api: Api) -> list[str]:
    return [
        each["metadata"]["name"]
        for each in api.list(VOLUMES)
        if (each["spec"].get("claimRef") or {}).get("namespace") == ACCOUNT
    ]


def start(kubectl: Kubectl, name: str) -> None:
    """A run now, as the CronJob would begin it at night."""
    kubectl.run("create", "job", name, f"--from=cronjob/{ACCOUNT}", f"--namespace={ACCOUNT}")


def ended(api: Api, name: str) -> tuple[str, Object, str]:
    """How the Job ended, its pod, and what its run printed."""

    def conditions() -> list[str]:
        found = api.get(JOBS, name, namespace=ACCOUNT)["status"].get("conditions") or []
        return [each["type"] for each in found if each["status"] == "True"]

    seen = wait_for(
        f"job {name} to end",
        look=conditions,
        ready=lambda seen: bool({"Complete", "Failed"} & {*seen}),
        state=str,
        timeout_s=240,
    )
    (pod,) = api.list(PODS, namespace=ACCOUNT, labels=f"job-name={name}")
    began = [each for each in _containers(pod) if "waiting" not in each["state"]]
    log = [api.log(pod["metadata"]["name"], namespace=ACCOUNT, container=each["name"]) for each in began]
    return ("Complete" if "Complete" in seen else "Failed"), pod, "\n".join(log)


def _containers(pod: Object) -> list[Object]:
    return [*pod["status"]["initContainerStatuses"], *pod["status"]["containerStatuses"]]


def read_reports(kubectl: Kubectl, state: ClusterState, folder: Path) -> list[dict[str, Any]]:
    """What is on the claim, copied out by a pod as docs/in-cluster.md says; the results of each run, oldest first."""
    text = (DEPLOY / "reports-reader.yaml").read_text()
    manifest = text.replace("registry.example.com/storage-acceptance@sha256:DIGEST", state.image)
    kubectl.run("apply", "--filename=-", stdin=manifest)
    of = f"--namespace={ACCOUNT}"
    kubectl.run("wait", "--for=condition=Ready", f"pod/{READER}", of, "--timeout=60s", timeout=65)
    kubectl.run("cp", f"{READER}:/reports", str(folder), of, timeout=60)
    kubectl.run("delete", "pod", READER, of)
    runs = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    return [json.loads((path / "results.json").read_text()) for path in runs]


def status_of(pod: Object) -> int:
    """The exit status of the suite in its pod."""
    return int(_containers(pod)[-1]["state"].get("terminated", {"exitCode": -1})["exitCode"])


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
    assert {each["status"] for each in results["verdicts"]} == {"pass"}
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

    wait_for("the run to have a claim", look=working, ready=bool, state=str, timeout_s=120)
    kubectl.run("delete", "job", "ended", f"--namespace={ACCOUNT}", "--cascade=foreground", timeout=120)
    assert left_behind(api, by_anyone=True) == []
