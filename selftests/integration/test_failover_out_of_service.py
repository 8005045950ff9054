"""Failover by the out-of-service taint, through the suite's own command line: the cluster itself takes the pod off its
node, and the taint goes again, also after a run that was killed."""

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.out_of_service import EFFECT, KEY, take_off
from acceptance.cluster.resources import NODES, Object
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster, node_failure_commands, start_node
from selftests.bounds import HANGS_S
from selftests.integration.suite import SuiteRun, run_in, run_suite, started_suite
from selftests.integration.test_interruption import cleanup
from selftests.lab.accounts import applied, documents, token_kubeconfig

pytestmark = [pytest.mark.disrupts, pytest.mark.full]

OUT = ("tests/test_failover_out_of_service.py", "--storage-destructive", "--storage-durability-time", "2s")
LOST = "lab-lost"
RUN_ID = "20200101-000000-abcdefabcdefabcd"


def tainted(api: Api) -> dict[str, list[Object]]:
    """The nodes with that taint, and it."""
    nodes = {each["metadata"]["name"]: each["spec"].get("taints") or [] for each in api.list(NODES)}
    found = {name: [taint for taint in taints if taint["key"] == KEY] for name, taints in nodes.items()}
    return {name: taints for name, taints in found.items() if taints}


@pytest.fixture(scope="module")
def passed(api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """Every test of it on the class whose volumes move."""
    folder = tmp_path_factory.mktemp("out-of-service")
    limits = folder / "limits.yaml"
    time = "{at_most: 5min, because: the test wants it so}"
    limits.write_text(
        f"version: 1\ntiers:\n  baseline:\n    description: for a test\n    failover: {{out_of_service_time: {time}}}\n"
    )
    options = ["--storage-class=replicated", f"--storage-thresholds={limits}"]
    return run_suite(*OUT, *options, reports=folder / "reports")


def test_the_cluster_itself_takes_the_pod_off_a_node_that_is_out_of_service(passed: SuiteRun, api: Api) -> None:
    assert passed.status == 0, passed.output
    (failover,) = passed.results["failovers"]
    assert failover["failure"] == "failover-out-of-service" and failover["failed_node"] != failover["node"]
    phases = [phase["name"] for phase in failover["phases"]]
    assert phases[:2] == ["node seen to be lost", "pod taken off it"] and phases[-1] == "first durable write"
    assert passed.verdict("in_time")["status"] == "pass"
    (crash,) = passed.results["durability"]
    assert crash["acknowledged"] >= 20 and crash["lost"] == []
    assert tainted(api) == {}


def test_without_a_word_of_consent_no_node_is_tainted(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target.yaml"
    commands = node_failure_commands(name=cluster.name)
    target.write_text("node_failure:\n" + "".join(f"  {key}: {words!r}\n" for key, words in commands.items()))
    found = run_suite(*OUT, f"--storage-target={target}", "--storage-class=replicated", reports=reports)
    assert found.status == 5, found.output
    verdicts = found.results["verdicts"]
    assert all("node_failure: out_of_service: true" in verdict["reason"] for verdict in verdicts) and verdicts


def test_the_taint_of_a_killed_run_is_taken_off_by_the_next_cleanup(
    cluster: EmbeddedCluster, clean: Api, reports: Path
) -> None:
    with started_suite(*OUT, "--storage-class=replicated", reports=reports) as process:
        seen = wait_for("the taint", look=lambda: tainted(clean), ready=bool, state=str, timeout_s=HANGS_S)
        process.kill()
        process.wait()
    run_id = run_in(reports)
    ((node, taints),) = seen.items()
    assert [(taint["value"], taint["effect"]) for taint in taints] == [(run_id, EFFECT)]
    # What the run left on that node goes once it is back, and no sooner.
    with ThreadPoolExecutor() as beside:
        cleaning = beside.submit(cleanup, cluster, "--run", run_id)
        try:
            wait_for(
                "the taint to be taken off",
                look=lambda: tainted(clean),
                ready=lambda seen: not seen,
                state=str,
                timeout_s=HANGS_S,
            )
        finally:
            start_node(cluster.name, node)
        done = cleaning.result()
    assert f"run {run_id}: removed the taint {KEY} from node {node}" in done.stdout
    assert f"run {run_id}: removed" in done.stdout, done.stdout


@pytest.fixture(scope="module")
def account(api: Api, cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The account of deploy/ with the role for taints, fenced in; and a node that no kubelet looks after."""
    path = tmp_path_factory.mktemp("account") / "kubeconfig"
    with applied(api, documents("rbac.yaml", "rbac-out-of-service.yaml", "admission-policy.yaml")):
        made = Api.from_kubeconfig(token_kubeconfig(api, cluster.kubeconfig, path))
        api.create(NODES, {"metadata": {"name": LOST, "labels": {"a": "b"}}})
        try:
            wait_for(
                "the cluster to take the node for lost, and the fence to hold",
                look=lambda: (_refused(made), api.get(NODES, LOST)),
                ready=lambda seen: seen[0] and bool(seen[1]["status"].get("conditions")),
                state=str,
                timeout_s=HANGS_S,
            )
            yield made
        finally:
            api.delete(NODES, LOST)


def _refused(account: Api) -> bool:
    try:
        account.patch(NODES, LOST, {"metadata": {"labels": {"a": secrets.token_hex(4)}}})
    except ApiError as error:
        return "changes nothing else of nodes" in str(error)
    return False


def taints(*values: str, key: str = KEY) -> Object:
    """The change that has a node have these alone."""
    return {"spec": {"taints": [{"key": key, "value": value, "effect": EFFECT} for value in values]}}


CHANGES: dict[str, Callable[[Api, str], object]] = {
    "cordon": lambda account, _: account.patch(NODES, LOST, {"spec": {"unschedulable": True}}),
    "label": lambda account, _: account.patch(NODES, LOST, {"metadata": {"labels": {"x": "y"}}}),
    "annotate": lambda account, _: account.patch(NODES, LOST, {"metadata": {"annotations": {"x": "y"}}}),
    "another taint": lambda account, _: account.patch(NODES, LOST, taints(RUN_ID, key="lab/own")),
    "a value of others": lambda account, _: account.patch(NODES, LOST, taints("nodeshutdown")),
    "a node that is ready": lambda account, ready: account.patch(NODES, ready, taints(RUN_ID)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_fence_keeps_the_account_from_all_else_of_nodes(change: str, account: Api, api: Api) -> None:
    ready = next(each["metadata"]["name"] for each in api.list(NODES) if each["metadata"]["name"] != LOST)
    with pytest.raises(ApiError, match="changes nothing else of nodes"):
        CHANGES[change](account, ready)


def test_the_account_may_put_that_taint_on_a_lost_node_and_take_it_off(account: Api, api: Api) -> None:
    before = api.get(NODES, LOST)["spec"].get("taints") or []
    own = {"key": KEY, "value": RUN_ID, "effect": EFFECT}
    account.patch(NODES, LOST, {"spec": {"taints": [*before, own]}})
    assert [each["value"] for each in tainted(api)[LOST]] == [RUN_ID]
    assert take_off(account, LOST, run_id=RUN_ID)
    assert tainted(api) == {}


def test_the_account_leaves_the_taint_of_others(account: Api, api: Api) -> None:
    before = api.get(NODES, LOST)["spec"].get("taints") or []
    api.patch(NODES, LOST, {"spec": {"taints": [*before, {"key": KEY, "value": "nodeshutdown", "effect": EFFECT}]}})
    with pytest.raises(ApiError, match="changes nothing else of nodes"):
        account.patch(NODES, LOST, {"spec": {"taints": before or None}})
    api.patch(NODES, LOST, {"spec": {"taints": before or None}})
