"""Pods of the storage system that are killed, through the suite's own command line: good storage stands it, bad storage
fails for its own reason, and nothing is killed that was not named."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.resources import NAMESPACES, PODS
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from selftests.bounds import HANGS_S
from selftests.integration.claim_modes import claim_modes
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.accounts import applied, documents, token_kubeconfig
from selftests.lab.storage_pods import CLASS, NAMESPACE, SELECTORS, STALL_S, STILL_S, Fault, storage_with_pods

TESTS = ("tests/test_killed_storage_pods.py", "--storage-destructive", "--storage-durability-time", "2s")
NAMED = [word for selector in SELECTORS for word in ("--storage-kill-pods", str(selector))]
LIMITS = """\
version: 1
tiers:
  baseline:
    description: for a test
    disruption:
      pod_ready: {at_most: 30s, because: the test wants it so}
      write_gap: {at_most: WITHIN, because: the test wants it so}
      new_volume: {at_most: 20s, because: the test wants it so}
"""


def killed(api: Api, folder: Path, *options: str, fault: Fault | None = None, gap: str = "20s") -> SuiteRun:
    """What a run finds of the lab's storage; its pods are all there was to kill."""
    limits = folder / "limits.yaml"
    limits.write_text(LIMITS.replace("WITHIN", gap))
    words = [*TESTS, "--storage-class", CLASS, f"--storage-thresholds={limits}", *options]
    found = run_suite(*words, reports=folder / "reports")
    assert left_behind(api) == []
    return found


@pytest.fixture(scope="module")
def good(api: Api, lab_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """Storage that stands still while its pods are away, and no longer."""
    with storage_with_pods(api, lab_folder / "good"):
        before = {each["metadata"]["name"] for each in api.list(PODS, namespace=NAMESPACE)}
        run = killed(api, tmp_path_factory.mktemp("good"), *NAMED)
        assert not before & {each["metadata"]["name"] for each in api.list(PODS, namespace=NAMESPACE)}
    return run


@pytest.mark.full
def test_storage_whose_pods_come_back_passes(good: SuiteRun) -> None:
    assert good.status == 0, good.output
    assert {verdict["status"] for verdict in good.results["verdicts"]} == {"pass"} and len(
        good.results["verdicts"]
    ) == 4
    data, provisioner = good.results["storage_pods"]
    for record in (data, provisioner):
        (kill,) = record["kills"]
        assert record["acknowledged"] >= 40 and record["lost"] == [] and record["left"] == 0
        assert 0.5 < kill["ready_s"] < 30 and 0 < kill["new_volume_s"] < 20 and not kill["problem"]
    # Only while the disk is not served writing stands still: the times are those of what was killed.
    assert data["kills"][0]["gap_s"] > STILL_S > provisioner["kills"][0]["gap_s"]
    assert "Pods of the storage system, killed one at a time" in (good.folder / "latest" / "report.html").read_text()


@pytest.mark.full
@pytest.mark.parametrize(
    ("fault", "failing", "why"),
    [
        ("stalls", "write_gap", "no record became durable for"),
        ("forgets", "acknowledged_records", "records are lost or unreadable on lab-storage-pods"),
        ("provisions-no-more", "new_volume", "no new volume could be used"),
        ("stays-away", "pod_ready", "no replacement became Ready"),
    ],
)
def test_bad_storage_fails_for_its_own_reason(
    fault: Fault, failing: str, why: str, clean: Api, lab_folder: Path, tmp_path: Path
) -> None:
    with storage_with_pods(clean, lab_folder / fault, fault=fault):
        gap = f"{STALL_S:.0f}s" if fault == "stalls" else "60s"
        run = killed(clean, tmp_path, *NAMED, "--storage-timeout", "30s", fault=fault, gap=gap)
    assert run.status == 1, run.output
    failed = {verdict["test"]: verdict["reason"] for verdict in run.results["verdicts"] if verdict["status"] == "fail"}
    assert any(failing in test and why in reason for test, reason in failed.items()), run.output
    if fault in ("provisions-no-more", "stays-away"):
        assert all("No further pod was killed" in reason for reason in failed.values())
        assert len(run.results["storage_pods"]) == 2


@pytest.mark.full
def test_nothing_is_killed_that_nobody_named_or_without_consent(clean: Api, reports: Path) -> None:
    """A run takes no longer than it takes to say so."""
    found = run_suite(*TESTS, "--storage-class", "local-path", reports=reports)
    assert found.status == 5, found.output
    assert all(
        "with --storage-kill-pods NAMESPACE/LABEL=VALUE" in verdict["reason"] for verdict in found.results["verdicts"]
    )
    words = [test for test in TESTS if test != "--storage-destructive"]
    found = run_suite(*words, *NAMED, "--storage-class", "local-path", reports=reports)
    assert found.status == 5, found.output
    assert all("--storage-destructive" in verdict["reason"] for verdict in found.results["verdicts"])


@pytest.mark.full
def test_labels_that_no_pod_has_end_the_run_before_anything_is_made(clean: Api, reports: Path) -> None:
    found = run_suite(*TESTS, "--storage-kill-pods=kube-system/app=none", "--storage-class=local-path", reports=reports)
    assert found.status == 10, found.output
    assert "no pod in namespace kube-system has the labels app=none" in found.output
    assert found.results["storage_pods"] == []


@pytest.mark.full
def test_the_fence_lets_pods_be_killed_only_where_the_namespace_says_so(
    api: Api, cluster: EmbeddedCluster, lab_folder: Path, tmp_path: Path
) -> None:
    with (
        storage_with_pods(api, lab_folder / "fenced"),
        applied(api, documents("rbac.yaml", "admission-policy.yaml")),
    ):
        account = Api.from_kubeconfig(token_kubeconfig(api, cluster.kubeconfig, tmp_path / "kubeconfig"))

        def refused() -> bool:
            """Of a pod that is there: until the fence holds, each one may be the last of its name."""
            pods = api.list(PODS, namespace=NAMESPACE)
            try:
                for pod in pods[:1]:
                    account.delete(PODS, pod["metadata"]["name"], namespace=NAMESPACE)
            except ApiError as error:
                return "namespaces of its runs" in str(error)
            return False

        wait_for("the fence to hold", look=refused, ready=bool, state=str, timeout_s=HANGS_S)
        api.patch(NAMESPACES, NAMESPACE, {"metadata": {"labels": {"storage-acceptance/kill-pods": "allowed"}}})
        wait_for("the fence to open", look=lambda: not refused(), ready=bool, state=str, timeout_s=HANGS_S)
        body = {"metadata": {"name": "own"}, "spec": {"containers": [{"name": "own", "image": "none"}]}}
        with pytest.raises(ApiError, match="namespaces of its runs"):
            account.create(PODS, body, namespace=NAMESPACE)


@pytest.mark.full
def test_a_run_on_shared_volumes_survives_killed_pods(api: Api, lab_folder: Path, tmp_path: Path) -> None:
    with storage_with_pods(api, lab_folder / "shared"), claim_modes(api) as modes:
        run = killed(api, tmp_path, *NAMED, "--storage-access-mode", "rwx")
    assert run.status == 0, run.output
    assert [(record["lost"], record["acknowledged"] >= 40) for record in run.results["storage_pods"]] == [
        ([], True)
    ] * 2
    assert modes and set(map(tuple, modes.values())) == {("ReadWriteMany",)}, modes
