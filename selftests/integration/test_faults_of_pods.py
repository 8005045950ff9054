"""A pod of the run is taken away while it is needed: the environment is named, and the storage is not blamed."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import NAMESPACES, PODS, Object, Resource
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from selftests.bounds import HANGS_S
from selftests.integration.faults import PROFILE, steady_load
from selftests.integration.suite import SuiteRun, finish, own, run_suite, started_suite, wait_for_load
from selftests.lab.api_proxy import api_proxy
from selftests.lab.components import kubelet_of, with_words
from selftests.lab.memory import use_up_memory
from selftests.lab.provisioner import LabClass, lab_classes

LIMIT_RANGES = Resource(prefix="api/v1", plural="limitranges", has_namespace=True)


def assert_environment_failed(run: SuiteRun, *said: str) -> None:
    """No verdict on the storage, and an error that says what became of the pod."""
    assert run.status == 10, run.output
    assert run.results["verdicts"] == []
    (error,) = run.results["errors"]
    for each in said:
        assert each in error


def broken(harm: Callable[[Object], None], folder: Path, api: Api, reports: Path) -> SuiteRun:
    """A run whose load pod comes to harm in mid-measurement."""
    with started_suite(*steady_load(folder), reports=reports) as process:
        harm(wait_for_load(api, profile=PROFILE))
        return finish(process, reports=reports, timeout=200)  # less than it waits for what does not come


def delete(api: Api, pod: Object, *, grace_s: int | None) -> None:
    api.delete(PODS, pod["metadata"]["name"], namespace=pod["metadata"]["namespace"], grace_s=grace_s)


@pytest.mark.parametrize("grace_s", [None, 0], ids=["told-to-end", "by-force"])
def test_a_pod_deleted_by_hand(grace_s: int | None, clean: Api, reports: Path, tmp_path: Path) -> None:
    run = broken(lambda pod: delete(clean, pod, grace_s=grace_s), tmp_path, clean, reports)
    assert_environment_failed(
        run, "pod steady-local-path", "deleted by someone else during the run; see the API server's audit log"
    )


def test_a_pod_that_a_drain_evicts(clean: Api, reports: Path, tmp_path: Path) -> None:
    """Through the API that `kubectl drain` uses."""

    def evict(pod: Object) -> None:
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
        of_pod = Resource(prefix=f"api/v1/namespaces/{namespace}/pods/{name}", plural="eviction", has_namespace=False)
        clean.ask(of_pod, eviction)

    run = broken(evict, tmp_path, clean, reports)
    assert_environment_failed(run, "pod steady-local-path", "EvictionByEvictionAPI")


@pytest.mark.disrupts
@pytest.mark.full
def test_a_pod_that_its_node_evicts(cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path) -> None:
    """The kubelet is told that the node has too little memory left."""
    with started_suite(*steady_load(tmp_path), reports=reports) as process:
        node = wait_for_load(clean, profile=PROFILE)["spec"]["nodeName"]
        with with_words(cluster.name, kubelet_of(node), "--eviction-hard=memory.available<99%"):
            run = finish(process, reports=reports)  # the provisioner may have been there too
    assert_environment_failed(run, "pod steady-local-path", "low on resource: memory")


def test_a_load_that_the_kernel_kills_for_memory(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    run = broken(use_up_memory, tmp_path, clean, reports)
    assert_environment_failed(run, "steady-local-path", "OOM killer")


def test_a_namespace_deleted_by_hand(clean: Api, reports: Path, tmp_path: Path) -> None:
    run = broken(lambda pod: clean.delete(NAMESPACES, pod["metadata"]["namespace"]), tmp_path, clean, reports)
    assert_environment_failed(run, "namespace storage-acceptance-", "was deleted by someone else during the run")


def test_a_container_that_the_cluster_adds_runs_on_and_is_not_waited_for(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """As a service mesh does by a webhook: what the suite asks for is not all that the pod then is."""

    def add_sidecar(spec: dict[str, Any]) -> None:
        (own,) = spec["containers"]
        sidecar = {key: own[key] for key in ("image", "securityContext")}
        spec["containers"].append(sidecar | {"name": "mesh", "command": ["sh", "-c", "sleep 3600"]})

    with api_proxy(cluster.kubeconfig) as proxy:
        proxy.write_kubeconfig(tmp_path / "kubeconfig")
        proxy.admission = add_sidecar
        options = [*steady_load(tmp_path), f"--storage-kubeconfig={tmp_path / 'kubeconfig'}"]
        subjects = ["-m", "data_plane or smoke", "-k", f"{PROFILE} or takes_a_write"]
        run = run_suite(*options, *subjects, reports=reports)
    run.require_passed(verdicts=2)


def test_a_limit_of_cpu_that_the_cluster_gives_is_no_slow_storage(
    clean: Api, lab_folder: Path, reports: Path, tmp_path: Path
) -> None:
    """By a LimitRange in every new namespace, as policy engines make them.

    It is there before the first pod, which waits for its volume until then.
    """
    limited = threading.Event()
    waiting = LabClass(name="lab-waits", folder=lab_folder, only_while=limited)
    limit = {"type": "Container", "default": {"cpu": "500m"}}
    made = {"metadata": {"name": "small"}, "spec": {"limits": [limit]}}
    options = steady_load(tmp_path, storage_class=waiting.name)
    with lab_classes(clean, [waiting]), started_suite(*options, reports=reports) as process:
        (namespace,) = wait_for(
            "the namespace of the run",
            look=lambda: own(clean, NAMESPACES),
            ready=bool,
            state=str,
            timeout_s=HANGS_S,
        )
        clean.create(LIMIT_RANGES, made, namespace=namespace["metadata"]["name"])
        limited.set()
        run = finish(process, reports=reports, timeout=200)
    assert_environment_failed(run, "set a limit of 500m", "throttling would look like slow storage")


def test_a_container_that_has_not_started_has_printed_nothing(cluster: EmbeddedCluster, clean: Api) -> None:
    name = "lab-never-starts"
    spec = {
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "main", "image": cluster.image, "command": ["true"]}],
        "volumes": [{"name": "nothing", "configMap": {"name": "there-is-none"}}],
    }
    clean.create(PODS, {"metadata": {"name": name}, "spec": spec}, namespace="default")
    try:
        wait_for(
            "the kubelet to know the pod",
            look=lambda: clean.get(PODS, name, namespace="default")["status"],
            ready=lambda status: bool(status.get("containerStatuses")),
            state=str,
            timeout_s=HANGS_S,
        )
        assert clean.log(name, namespace="default", container="main") == ""
    finally:
        clean.delete(PODS, name, namespace="default", grace_s=0)
