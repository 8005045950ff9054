"""`deploy/` as readers of docs/in-cluster.md use it: an image on one node, the CronJob, its Jobs, its reports."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from acceptance.cluster.api import Api
from acceptance.cluster.resources import PODS, VOLUMES, Object, Resource
from acceptance.cluster.waiting import wait_for
from embedded_cluster.commands import run
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.state import ClusterState
from selftests.bounds import HANGS_S
from selftests.integration.suite import CLUSTER, READ_LIMIT
from selftests.lab.accounts import ACCOUNT, DEPLOY

JOBS = Resource(prefix="apis/batch/v1", plural="jobs")
READER = "storage-acceptance-reports"
NODE = f"{CLUSTER}-node-1"
LIMITS = f"""\
{READ_LIMIT}  impossible:
    description: for a test of the suite
    provisioning:
      bind_time: {{at_most: 1ms, because: the test wants it so}}
"""


@contextmanager
def loaded(state: ClusterState, archive: Path, reference: str) -> Iterator[str]:
    """The image of an archive on one node: on each it would take half a gigabyte."""
    ctr: list[str | Path] = ["ctr", "--address", Layout(CLUSTER).node(1).containerd_socket, "--namespace", "k8s.io"]
    run([*ctr, "images", "import", "--snapshotter", state.snapshotter, archive], timeout=400)
    yield reference
    run([*ctr, "images", "rm", "--sync", reference], timeout=180)


@contextmanager
def deployed(
    api: Api,
    kubectl: Kubectl,
    state: ClusterState,
    image: str,
    folder: Path,
    *,
    change: Callable[[Path], object] = lambda folder: None,
) -> Iterator[None]:
    """`deploy/` with its settings filled in, on the node that has the image; gone afterwards with all it made.

    `change`: what else is done to the copy before it is applied.
    """
    shutil.copytree(DEPLOY, folder)
    change(folder)
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
    kubectl.run("delete", "-k", str(folder), timeout=300)
    wait_for("its volume to go", look=lambda: _volumes(api), ready=lambda seen: not seen, state=str, timeout_s=HANGS_S)


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
        timeout_s=600,
    )
    (pod,) = api.list(PODS, namespace=ACCOUNT, labels=f"job-name={name}")
    began = [container for container in _containers(pod) if "waiting" not in container["state"]]
    log = [api.log(pod["metadata"]["name"], namespace=ACCOUNT, container=each["name"]) for each in began]
    return ("Complete" if "Complete" in seen else "Failed"), pod, "\n".join(log)


def _containers(pod: Object) -> list[Object]:
    return [*pod["status"]["initContainerStatuses"], *pod["status"]["containerStatuses"]]


def status_of(pod: Object) -> int:
    """The exit status of the suite in its pod."""
    return int(_containers(pod)[-1]["state"].get("terminated", {"exitCode": -1})["exitCode"])


def read_reports(kubectl: Kubectl, state: ClusterState, folder: Path, *, deploy: Path = DEPLOY) -> list[dict[str, Any]]:
    """What is on the claim, copied out by a pod as docs/in-cluster.md says; the results of each run, oldest first."""
    text = (deploy / "reports-reader.yaml").read_text()
    manifest = text.replace("registry.example.com/storage-acceptance@sha256:DIGEST", state.image)
    kubectl.run("apply", "--filename=-", stdin=manifest)
    of = f"--namespace={ACCOUNT}"
    kubectl.run("wait", "--for=condition=Ready", f"pod/{READER}", of, "--timeout=180s", timeout=185)
    kubectl.run("cp", f"{READER}:/reports", str(folder), of, timeout=180)
    kubectl.run("delete", "pod", READER, of, timeout=180)
    runs = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    return [json.loads((path / "results.json").read_text()) for path in runs]
