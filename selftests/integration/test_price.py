"""What pods of a "storage" of the lab take, as the real kubelets of the cluster tell it, and what is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import NAMESPACES, PODS, SERVICE_ACCOUNTS
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration.suite import SuiteRun, finish, left_behind, run_suite, started_suite
from selftests.integration.volume_pods import is_running
from selftests.lab.accounts import applied, documents, token_kubeconfig
from selftests.lab.short_growth import LOAD_MIN

pytestmark = pytest.mark.disrupts

STORAGE = "lab-storage"
CPU = {"burns": "300m"}
"""what a container may have of a core"""
RATE = "rate_iops=100\n"
"""of the load beside which the pods stand: its speed is not the question"""
MIB = 1024**2
ROOT = Path(__file__).parents[2]
PROFILE = "random-write-iops.fio"
PODS_OF_IT = {
    # At one that does nothing at all kubelets look less often.
    "still": "while sleep 1; do :; done",
    # All that its container may have, which is less than a core: others work beside this test.
    "burns": "while :; do :; done",
    # 256 KiB a second: 900 MiB an hour, of which it takes some 80 MiB here.
    "leaks": "while head -c 262144 /dev/zero >> /memory/kept; do sleep 1; done",
    # Once at least while it is watched, for 4 min from some 20 s after its start.
    "restarts": "sleep 110; exit 3",
}
ASKED = ("-m", "price", "--storage-price", f"--storage-price-time={LOAD_MIN}min", "--storage-class=local-path")
SHORT = ("-p", "selftests.lab.short_growth")
# The shipped limit is 16 MiB an hour, and three minutes tell the growth of a pod that stands still to within as much.
LIMITS = """\
version: 1
tiers:
  baseline:
    description: for a test of the suite
    resource_overhead:
      random-write-iops:
        memory_growth: {at_most: 200MiB, because: the test wants it so}
        restarts: {at_most: 0, because: the test wants it so}
"""


@pytest.fixture(scope="module")
def as_account(api: Api, cluster: embedded_cluster.EmbeddedCluster, tmp_path_factory: Any) -> Iterator[tuple[str, ...]]:
    """The options by which a run is that of the usual account, which may not ask kubelets."""
    path = tmp_path_factory.mktemp("account") / "kubeconfig"
    with applied(api, documents("rbac.yaml")):
        token_kubeconfig(api, cluster.kubeconfig, path)
        yield f"--storage-kubeconfig={path}", f"--storage-image={cluster.image}"


@pytest.fixture
def storage(api: Api, cluster: embedded_cluster.EmbeddedCluster) -> Iterator[None]:
    """Its pods run; each begins when the test does."""
    api.create(NAMESPACES, {"metadata": {"name": STORAGE}})
    try:
        wait_for(
            "the namespace to have its account",
            look=lambda: api.find(SERVICE_ACCOUNTS, "default", namespace=STORAGE),
            ready=bool,
            state=str,
            timeout_s=HANGS_S,
        )
        for name, script in PODS_OF_IT.items():
            limits = {"limits": {"cpu": CPU[name]}} if name in CPU else {}
            main = {"name": "main", "image": cluster.image, "command": ["sh", "-c", script], "resources": limits}
            kept = {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "400Mi"}}
            spec = {
                "terminationGracePeriodSeconds": 0,
                "containers": [{**main, "volumeMounts": [{"name": "memory", "mountPath": "/memory"}]}],
                "volumes": [kept],
            }
            api.create(PODS, {"metadata": {"name": name, "labels": {"app": name}}, "spec": spec}, namespace=STORAGE)
        wait_for(
            "the pods of the storage to run",
            look=lambda: api.list(PODS, namespace=STORAGE),
            ready=lambda seen: all(map(is_running, seen)),
            state=lambda seen: str([each["status"] for each in seen]),
            timeout_s=HANGS_S,
        )
        yield
    finally:
        api.delete(NAMESPACES, STORAGE)
        wait_for(
            "the namespace to go",
            look=lambda: api.find(NAMESPACES, STORAGE),
            ready=lambda seen: seen is None,
            state=str,
            timeout_s=HANGS_S,
        )


def metrics(run: SuiteRun) -> dict[str, Any]:
    return {verdict["requirement"]["metric"]: verdict for verdict in run.results["verdicts"]}


@pytest.mark.full
def test_without_its_right_it_is_skipped_and_names_the_right(
    api: Api, as_account: tuple[str, ...], reports: Path
) -> None:
    run = run_suite(*ASKED, *as_account, f"--storage-price-of={STORAGE}", reports=reports)
    assert "no permission to get nodes/proxy" in run.output and "deploy/rbac-price.yaml grants it" in run.output
    assert {verdict["status"] for verdict in run.results["verdicts"]} == {"skipped"}, run.output
    assert left_behind(api) == []


@pytest.mark.release
def test_pods_that_leak_restart_or_stand_still_are_told_apart(
    api: Api, as_account: tuple[str, ...], storage: None, tmp_path: Path
) -> None:
    """All of the namespace at once, by the right that deploy/rbac-price.yaml grants; and the one that stands still."""
    all_of_it, still, limits = tmp_path / "all", tmp_path / "still", tmp_path / "limits.yaml"
    limits.write_text(LIMITS, encoding="utf-8")
    profiles = tmp_path / "profiles"
    profiles.mkdir()
    (profiles / PROFILE).write_text((ROOT / "profiles" / PROFILE).read_text(encoding="utf-8") + RATE, encoding="utf-8")
    own = (f"--storage-thresholds={limits}", f"--storage-profiles={profiles}")
    asked = (*SHORT, *ASKED, *as_account, *own)
    with (
        applied(api, documents("rbac-price.yaml")),
        started_suite(*asked, f"--storage-price-of={STORAGE}", reports=all_of_it) as first,
        started_suite(*asked, f"--storage-price-of={STORAGE}/app=still", reports=still) as second,
    ):
        bad, good = finish(first, reports=all_of_it), finish(second, reports=still)

    assert good.status == 0, good.output
    assert {name: each["status"] for name, each in metrics(good).items()} == {
        "memory_growth": "pass",
        "restarts": "pass",
    }
    (alone,) = good.results["prices"]
    assert [pod["pod"] for pod in alone["pods"]] == ["still"]

    assert bad.status == 1, bad.output
    told = metrics(bad)
    assert told["memory_growth"]["status"] == "fail"
    assert f"pod {STORAGE}/leaks leaks: its memory grew by " in told["memory_growth"]["reason"]
    assert 500 * MIB < told["memory_growth"]["measured"] < 1200 * MIB
    assert told["restarts"]["status"] == "fail"
    assert (
        f"{STORAGE}/restarts container main restarted once (last end: Error, exit code 3)" in told["restarts"]["reason"]
    )
    for name in ("still", "burns", "leaks"):
        assert f"{STORAGE}/{name} " not in told["restarts"]["reason"]

    (record,) = bad.results["prices"]
    cpu = {pod["pod"]: pod["cpu"] for pod in record["pods"]}
    # What it may have and no more; of a busy machine, where pods come last, a part of it.
    others = max(taken for name, taken in cpu.items() if name != "burns")
    assert 5 * others < cpu["burns"] < 0.35 and others < 0.05, cpu
    assert record["cpu_per_1000_iops"]["low"] is not None and record["missed"] == []
    # A look every 10 s: at the pods, and at three kubelets at the most.
    assert record["requests"] <= 4 * (record["periods"][-1]["end_s"] / 10 + 3)
    page = (bad.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert "Resource overhead of the storage" in page and f"{STORAGE}/leaks" in page
    assert left_behind(api) == []
