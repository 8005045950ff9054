"""Wrong input ends at once, with the right status and a message that says what was expected, found and to be done."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import NAMESPACES, SERVICE_ACCOUNTS, STORAGE_CLASSES, Resource
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration.suite import ROOT, finish, limits_file, run_suite, started_suite, wait_for_load

ROLES = Resource(prefix="apis/rbac.authorization.k8s.io/v1", plural="clusterroles", has_namespace=False)
BINDINGS = Resource(prefix="apis/rbac.authorization.k8s.io/v1", plural="clusterrolebindings", has_namespace=False)

LOAD = ("-m", "data_plane", "-k", "sync-write")


def test_wrong_usage_is_told_all_at_once_and_without_a_traceback(reports: Path) -> None:
    run = run_suite("--storage-profiles=/nowhere", "--storage-timeout", "soon", reports=reports)
    assert run.status == 4, run.output
    assert "profiles folder /nowhere does not exist" in run.output
    assert "--storage-timeout" in run.output and "'soon'" in run.output
    assert "Traceback" not in run.output


@pytest.mark.parametrize(
    "option", ["--storage-class", pytest.param("--storage-baseline-class", marks=pytest.mark.full)]
)
def test_unknown_class_lists_those_there_are(option: str, clean: Api, reports: Path) -> None:
    run = run_suite(option, "fastest", reports=reports)
    assert run.status == 4
    assert "StorageClass 'fastest' does not exist" in run.output
    assert "local-path (rancher.io/local-path), replicated" in run.output


@pytest.fixture
def unprovisioned(api: Api) -> Iterator[str]:
    """A class that provisions nothing."""
    name = "lab-static"
    api.create(STORAGE_CLASSES, {"metadata": {"name": name}, "provisioner": "kubernetes.io/no-provisioner"})
    yield name
    api.delete(STORAGE_CLASSES, name)


@pytest.mark.full
def test_class_without_provisioner(unprovisioned: str, clean: Api, reports: Path) -> None:
    run = run_suite("--storage-class", unprovisioned, reports=reports)
    assert run.status == 4
    assert "has no provisioner" in run.output


def test_image_that_cannot_be_pulled(clean: Api, reports: Path) -> None:
    """The environment failed, not the storage; what would fail the same way is not tried."""
    run = run_suite("--storage-image", "127.0.0.1:9/no/such:image", "-m", "provisioning", reports=reports)
    assert run.status == 10, run.output
    assert "image '127.0.0.1:9/no/such:image' cannot be pulled on node" in run.output
    assert "--storage-image" in run.output
    assert run.results["verdicts"] == []
    assert run.results["overall"] == "inconclusive"


@pytest.mark.full
def test_cluster_that_does_not_answer(cluster: embedded_cluster.EmbeddedCluster, tmp_path: Path, reports: Path) -> None:
    config = yaml.safe_load(cluster.kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    other = tmp_path / "kubeconfig"
    other.write_text(yaml.safe_dump(config))
    run = run_suite(f"--storage-kubeconfig={other}", reports=reports)
    assert run.status == 10, run.output
    assert "https://127.0.0.1:9" in run.output and "refused" in run.output


@pytest.fixture
def weak_account(api: Api, cluster: embedded_cluster.EmbeddedCluster, tmp_path: Path) -> Iterator[Path]:
    """The kubeconfig of an account that may look at StorageClasses and nodes, and nothing else."""
    namespace, name = "weak", "storage-acceptance-weak"
    api.create(NAMESPACES, {"metadata": {"name": namespace}})
    api.create(SERVICE_ACCOUNTS, {"metadata": {"name": name}}, namespace=namespace)
    rules = [
        {"apiGroups": ["storage.k8s.io"], "resources": ["storageclasses"], "verbs": ["get", "list"]},
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]},
    ]
    api.create(ROLES, {"metadata": {"name": name}, "rules": rules})
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    role = {"kind": "ClusterRole", "name": name, "apiGroup": "rbac.authorization.k8s.io"}
    api.create(BINDINGS, {"metadata": {"name": name}, "roleRef": role, "subjects": [subject]})
    tokens = Resource(prefix="api/v1", plural=f"serviceaccounts/{name}/token")
    token = api.create(tokens, {"metadata": {}, "spec": {"expirationSeconds": 600}}, namespace=namespace)
    config: dict[str, Any] = yaml.safe_load(cluster.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": token["status"]["token"]}
    path = tmp_path / "weak.kubeconfig"
    path.write_text(yaml.safe_dump(config))
    yield path
    api.delete(BINDINGS, name)
    api.delete(ROLES, name)
    api.delete(NAMESPACES, namespace)
    wait_for(
        f"namespace {namespace} to be deleted",
        look=lambda: api.find(NAMESPACES, namespace),
        ready=lambda seen: seen is None,
        state=str,
        timeout_s=HANGS_S,
    )


@pytest.mark.full
def test_forbidden_verbs_are_named_all_at_once(weak_account: Path, clean: Api, reports: Path) -> None:
    run = run_suite(f"--storage-kubeconfig={weak_account}", reports=reports)
    assert run.status == 10, run.output
    for line in (
        "get, list, create, delete on namespaces",
        "get, list, create, delete on persistentvolumeclaims",
        "get on pods/log",
        "list on volumeattachments.storage.k8s.io",
        "get, create, patch on leases.coordination.k8s.io",
        "list, create, patch, delete on statefulsets.apps (only for scale tests, which -m 'not scale' excludes)",
    ):
        assert line in run.output
    assert "on nodes" not in run.output and "on storageclasses" not in run.output
    assert "control_plane" not in run.output  # without --storage-destructive they are not run

    run = run_suite(f"--storage-kubeconfig={weak_account}", "-m", "smoke", reports=reports)
    assert run.status == 10 and "on statefulsets" not in run.output, run.output


def test_profile_that_fio_rejects_is_told_in_its_own_words(clean: Api, tmp_path: Path, reports: Path) -> None:
    profiles = tmp_path / "profiles"
    profiles.mkdir()
    for profile in (ROOT / "profiles").iterdir():
        (profiles / profile.name).write_text(profile.read_text())
    text = (profiles / "sync-write-iops.fio").read_text()
    (profiles / "sync-write-iops.fio").write_text(text.replace("bs=4k", "bs=4k\nrate_process=often"))
    run = run_suite("--storage-class", "local-path", f"--storage-profiles={profiles}", *LOAD, reports=reports)
    assert run.status == 4, run.output
    assert "fio: failed parsing rate_process=often" in run.output
    assert run.results["measurements"] == []


@pytest.mark.parametrize(
    ("line", "status"),
    [("raise KeyError('x')", 10), pytest.param("assert volume is None", 1, marks=pytest.mark.full)],
)
def test_an_error_that_nobody_expected_is_no_verdict_on_the_storage(
    line: str, status: int, clean: Api, tmp_path: Path, reports: Path
) -> None:
    """What a test asserts of the storage is."""
    mine = tmp_path / "test_mine.py"
    mine.write_text(f"def test_mine(volume):\n    volume.write()\n    {line}\n")
    run = run_suite("--storage-class=local-path", "-k", "mine", "tests", str(mine), reports=reports)
    assert run.status == status, run.output
    (told,) = run.results["errors"]
    assert ("an error of the suite or of its environment, not of the storage" in told) == (status == 10), told
    assert "INTERNALERROR" not in run.output


def test_fio_that_dies_in_mid_run_is_no_number(clean: Api, reports: Path) -> None:
    with started_suite("--storage-class", "local-path", *LOAD, reports=reports) as process:
        uid = wait_for_load(clean)["metadata"]["uid"]
        running = wait_for(
            "fio and its job to run",
            look=lambda: _fios(uid),
            ready=lambda seen: len(seen) > 1,
            state=str,
            timeout_s=HANGS_S,
        )
        for fio in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(fio, signal.SIGKILL)
        run = finish(process, reports=reports)
    assert run.status == 10, run.output
    assert run.results["measurements"] == []
    assert "sync-write-iops-local-path on StorageClass local-path was killed" in "".join(run.results["errors"])


def _fios(pod_uid: str) -> list[int]:
    """The fio processes of this very pod, found by its control group."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            ours = f"pod{pod_uid}" in (process / "cgroup").read_text()
            if ours and (process / "comm").read_text().strip() == "fio":
                found.append(int(process.name))
        except OSError:
            continue
    return found


@pytest.mark.full
def test_further_profile_is_found_measured_and_not_judged(clean: Api, tmp_path: Path, reports: Path) -> None:
    """A profile without limits gives figures; that nothing was judged is no success."""
    profiles = tmp_path / "profiles"
    profiles.mkdir()
    (profiles / "random-read.fio").write_text(
        "# Random reads.\n[reads]\nrw=randread\nbs=4k\ntime_based\nruntime=${RUNTIME}\nfilename=${FILE}\nsize=${SIZE}\n"
    )
    (profiles / "sync-write-iops.fio").write_text((ROOT / "profiles" / "sync-write-iops.fio").read_text())
    limits = limits_file(tmp_path, iops=1)
    options = [f"--storage-profiles={profiles}", f"--storage-thresholds={limits}", "-k", "further"]
    run = run_suite("--storage-class", "local-path", *options, reports=reports)
    assert run.status == 5, run.output
    verdict = run.verdict("further")
    assert verdict["status"] == "skipped"
    assert "measured, no limit (read.iops" in verdict["reason"]
    assert run.results["measurements"][0]["metrics"]["read.iops"]["mean"] > 0


def test_claims_too_small_for_the_profiles_are_told_before_anything_is_made(clean: Api, reports: Path) -> None:
    run = run_suite("--storage-class", "local-path", "--storage-volume-size", "100Mi", reports=reports)
    assert run.status == 4, run.output
    assert "--storage-volume-size (104857600 bytes) is too small: the profiles need 134217728 bytes" in run.output
    assert "sysbench-random-mixed" in run.output


@pytest.mark.full
def test_unreachable_limit_fails_naming_value_interval_and_limit(clean: Api, tmp_path: Path, reports: Path) -> None:
    limits = limits_file(tmp_path, iops=10_000_000)
    run = run_suite("--storage-class", "local-path", f"--storage-thresholds={limits}", *LOAD, reports=reports)
    assert run.status == 1, run.output
    verdict = run.verdict("meet_the_limit")
    assert verdict["status"] == "fail"
    assert "CI" in verdict["reason"] and "at least 10,000,000 IOPS" in verdict["reason"]
    assert verdict["low"] <= verdict["measured"] <= verdict["high"]
