"""Ramps of the control plane through the suite's own command line: up to a goal on real nodes and down again, each stop
condition found where simulated pods make it happen, and whatever else may come between, with nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.objects import NAMESPACE_PREFIX
from acceptance.cluster.resources import CLAIMS, NODES, PODS, STATEFUL_SETS, VOLUMES, Object, Resource
from acceptance.cluster.stateful_sets import SET_LABEL
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from selftests.bounds import HANGS_S
from selftests.integration.suite import ROOT, SuiteRun, finish, run_suite, started_suite
from selftests.lab.api_server import restart_api_server
from selftests.lab.simulated_nodes import NODE_LABEL, STORAGE_CLASS, crashing_pods, late_pods, stalled_pods

pytestmark = pytest.mark.disrupts

QUOTAS = Resource(prefix="api/v1", plural="resourcequotas")
RAMP = ("-m", "control_plane", "--storage-destructive")
# Of volumes of simulated nodes as many as are asked for: nothing is behind them.
SIMULATED = (
    *RAMP,
    *("--storage-class", STORAGE_CLASS),
    *("--storage-ramp-node-selector", f"{NODE_LABEL}=true"),
    "--storage-claim-at-most=8Ti",
)
# Pods asked for in a step, of a second, at the rate of these ramps.
STEP = 4
FROM = 40
# A busy machine takes some seconds for what takes one.
SLOW = "slow_starts: {longer_than: 20s, more_than: 4, because: too slow}"
RATE = "running_rate: {below: 30/min, over: 24s, because: too few}"
CRASHES = "crashes: {more_than: 3, because: not stable}"


def limits(folder: Path, *, pods: int, stop_when: tuple[str, ...] = (SLOW, RATE, CRASHES)) -> str:
    """The option for a limits file with limits on the control plane alone."""
    path = folder / "limits.yaml"
    conditions = "".join(f"          {each}\n" for each in stop_when)
    path.write_text(
        "version: 1\ntiers:\n  baseline:\n    description: for a test of the suite\n    control_plane:\n"
        f"      ramp:\n        rate: {STEP * 60}/min\n        stop_when:\n{conditions}"
        f"      pods: {{at_least: {pods}, because: the test wants it so}}\n"
        "      ramp_down: {at_most: 5min, because: the test wants it so}\n"
    )
    return f"--storage-thresholds={path}"


def statuses(run: SuiteRun) -> dict[str, str]:
    """By metric, the status of each verdict."""
    return {verdict["requirement"]["metric"]: verdict["status"] for verdict in run.results["verdicts"]}


@pytest.mark.full
def test_sixty_pods_on_real_nodes_come_up_and_go_again(clean: Api, reports: Path) -> None:
    """With the limits that come with the suite, but asked for faster."""
    run = run_suite(*RAMP, "--storage-class", "local-path", "--storage-ramp-rate", "120/min", reports=reports)
    assert run.status == 0, run.output
    record = run.results["control_plane"][0]
    assert (record["pods"], record["volumes"], record["ended"]["kind"]) == (60, 60, "goal")
    assert sum(record["per_node"].values()) == 60 and len(record["per_node"]) == 3
    assert {name: each["pods"] for name, each in record["phases"].items()} == dict.fromkeys(
        ("bound", "scheduled", "running", "ready"), 60
    )
    assert record["growth"][-1]["running"] == 60 and len(record["starts"]) == 60
    assert record["ramp_down"]["remaining"] == []
    assert record["api_server_missing"] is None and record["storage_operations_missing"] is None
    assert any(each["verb"] == "POST" for each in record["api_server"])
    assert statuses(run) == {"pods": "pass", "ramp-down": "pass"}
    page = (run.folder / "latest" / "report.html").read_text()
    assert page.count("Pods over time, until the ramp ended") == 1


@pytest.mark.full
def test_volumes_that_can_no_longer_be_read_are_found_by_the_probe(clean: Api, reports: Path, tmp_path: Path) -> None:
    """What pods have written is gone from under them: their probes fail, their containers are restarted."""
    slow = "slow_starts: {longer_than: 5min, more_than: 30, because: not asked for}"
    with started_suite(
        *RAMP,
        "--storage-class=local-path",
        "--storage-ramp-rate=30/min",
        limits(tmp_path, pods=60, stop_when=(slow, CRASHES)),
        reports=reports,
    ) as process:
        volumes = wait_for(
            "eight volumes to be written",
            look=lambda: [folder(each) for each in clean.list(VOLUMES) if (folder(each) / "block.direct").exists()],
            ready=lambda seen: len(seen) >= 8,
            state=lambda seen: f"{len(seen)} volumes",
            timeout_s=HANGS_S,
        )
        for volume in volumes:
            (volume / "block").unlink()
        run = finish(process, reports=reports)
    assert run.status == 1, run.output
    record = run.results["control_plane"][0]
    assert record["ended"]["kind"] == "crashes" and record["ended"]["since_pods"] < 8, record["ended"]
    assert statuses(run) == {"pods": "fail", "ramp-down": "pass"}


def folder(volume: Object) -> Path:
    """Where a volume of local-path is on this machine."""
    source = volume["spec"].get("hostPath") or volume["spec"].get("local") or {"path": "/nowhere"}
    return Path(source["path"])


def test_without_consent_nothing_is_ramped(clean: Api, reports: Path) -> None:
    run = run_suite("-m", "control_plane", "--storage-class", "local-path", reports=reports)
    assert run.status == 5, run.output
    assert "destructive tests run only with --storage-destructive" in run.output
    assert run.results["control_plane"] == []


@pytest.mark.parametrize(
    ("misbehaving", "condition", "kind"),
    [
        pytest.param(late_pods, SLOW, "slow_starts", marks=pytest.mark.release),
        pytest.param(stalled_pods, RATE, "running_rate", marks=pytest.mark.release),
        (crashing_pods, CRASHES, "crashes"),
    ],
    ids=["delay", "stall", "crash-loop"],
)
def test_each_condition_is_found_where_it_begins(
    misbehaving: object,
    condition: str,
    kind: str,
    simulated_nodes: list[str],
    clean: Api,
    reports: Path,
    tmp_path: Path,
) -> None:
    more = {"seconds": 40.0} if misbehaving is late_pods else {}
    lab: AbstractContextManager[None] = misbehaving(clean, from_ordinal=FROM, **more)  # type: ignore[operator]
    with lab:
        run = run_suite(*SIMULATED, limits(tmp_path, pods=200, stop_when=(condition,)), reports=reports)
    assert run.status == 1, run.output
    ended = run.results["control_plane"][0]["ended"]
    assert ended["kind"] == kind
    # Pods are numbered as the cluster made them: of a set, those that it is behind with in any order; and of those that
    # crash, the first four to do so may be any that a busy machine has let wait.
    assert FROM // 2 <= ended["since_pods"] <= 2 * FROM, ended
    assert statuses(run) == {"pods": "fail", "ramp-down": "pass"}
    assert kind.replace("_", " ") in run.verdict("required_number")["reason"]


@pytest.mark.full
def test_good_simulated_nodes_meet_no_condition(
    simulated_nodes: list[str], clean: Api, reports: Path, tmp_path: Path
) -> None:
    run = run_suite(*SIMULATED, limits(tmp_path, pods=100), reports=reports)
    assert run.status == 0, run.output
    record = run.results["control_plane"][0]
    assert (record["pods"], record["volumes"], record["ended"]["kind"]) == (100, 100, "goal")
    assert set(record["per_node"]) == set(simulated_nodes)
    assert {name: each["pods"] for name, each in record["phases"].items()} == dict.fromkeys(
        ("bound", "scheduled", "attached", "running", "ready"), 100
    )
    assert record["linear_until"] == 100


@pytest.mark.full
def test_one_set_for_each_node_is_bound_to_it(
    simulated_nodes: list[str], clean: Api, reports: Path, tmp_path: Path
) -> None:
    run = run_suite(*SIMULATED, "--storage-ramp-form=per-node", limits(tmp_path, pods=22), reports=reports)
    assert run.status == 0, run.output
    assert sorted(run.results["control_plane"][0]["per_node"].values()) == [5, 5, 6, 6]


@contextmanager
def ramping(reports: Path, folder: Path, api: Api, *, pods: int = 1000) -> Iterator[subprocess.Popen[str]]:
    """A ramp on simulated nodes, of which some pods run already; it minds crashes alone, however slow the machine.

    It would go on for minutes: whoever is to break into it may be late.
    """
    options = (*SIMULATED, limits(folder, pods=pods, stop_when=(CRASHES,)))
    with started_suite(*options, reports=reports) as process:
        wait_for(
            "some pods of the ramp to run",
            look=lambda: api.list(PODS, labels=SET_LABEL),
            ready=lambda seen: sum(pod["status"].get("phase") == "Running" for pod in seen) >= 10,
            state=lambda seen: f"{len(seen)} pods",
            timeout_s=HANGS_S,
        )
        yield process


def namespace(api: Api) -> str:
    """That of the run which goes on."""
    return str(api.list(STATEFUL_SETS, labels="app.kubernetes.io/managed-by")[0]["metadata"]["namespace"])


def test_a_quota_in_mid_ramp_leaves_the_count_standing(
    simulated_nodes: list[str], clean: Api, reports: Path, tmp_path: Path
) -> None:
    with ramping(reports, tmp_path, clean) as process:
        where = namespace(clean)
        few = len(clean.list(PODS, namespace=where)) + 3 * STEP
        quota = {"metadata": {"name": "few"}, "spec": {"hard": {"pods": str(few)}}}
        clean.create(QUOTAS, quota, namespace=where)
        wait_for(
            "the quota to be in force",
            look=lambda: clean.get(QUOTAS, "few", namespace=where).get("status") or {},
            ready=lambda seen: "hard" in seen,
            state=str,
            timeout_s=HANGS_S,
        )
        # More than the quota where it came late.
        there = max(few, len(clean.list(PODS, namespace=where)))
        run = finish(process, reports=reports)
    assert run.status == 6, run.output
    record = run.results["control_plane"][0]
    assert record["ended"]["kind"] == "quota" and "exceeded quota: few" in record["ended"]["reason"]
    # The quota may count one that was not made in the end, and none that was made while it came into force.
    assert few - STEP <= record["pods"] <= there + 5 * STEP
    assert statuses(run) == {"pods": "inconclusive", "ramp-down": "pass"}
    assert "exceeded quota: few" in run.verdict("required_number")["reason"]


def test_a_node_lost_in_mid_ramp_is_named(
    simulated_nodes: list[str],
    simulation: Callable[[int], list[str]],
    clean: Api,
    reports: Path,
    tmp_path: Path,
) -> None:
    """The node comes back later: from one that is gone for good, Kubernetes detaches volumes after six minutes only."""
    with ramping(reports, tmp_path, clean) as process:
        clean.delete(NODES, simulated_nodes[0])
        time.sleep(10)
        simulation(4)
        run = finish(process, reports=reports)
    assert run.status == 6, run.output
    record = run.results["control_plane"][0]
    assert record["ended"]["kind"] == "node_lost" and simulated_nodes[0] in record["ended"]["reason"]
    assert 0 < record["pods"] < 1000
    assert statuses(run)["pods"] == "inconclusive"


def test_no_pod_is_lost_or_counted_twice_when_the_api_server_restarts(
    cluster: EmbeddedCluster, simulated_nodes: list[str], clean: Api, reports: Path, tmp_path: Path
) -> None:
    with ramping(reports, tmp_path, clean, pods=80) as process:
        # No longer: where a busy machine takes long to start it again, nodes that it cannot hear would be lost.
        restart_api_server(cluster.name, down_s=1)
        run = finish(process, reports=reports)
    assert run.status == 0, run.output
    record = run.results["control_plane"][0]
    assert (record["pods"], record["volumes"], len(record["starts"])) == (80, 80, 80)
    assert record["ended"]["kind"] == "goal"


@pytest.mark.full
def test_an_interrupted_ramp_leaves_nothing_behind(
    simulated_nodes: list[str], clean: Api, reports: Path, tmp_path: Path
) -> None:
    with ramping(reports, tmp_path, clean) as process:
        process.send_signal(signal.SIGINT)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output


def test_a_cleanup_that_was_killed_half_way_is_taken_up_again(
    cluster: EmbeddedCluster, simulated_nodes: list[str], clean: Api, reports: Path, tmp_path: Path
) -> None:
    with ramping(reports, tmp_path, clean) as process:
        where = namespace(clean)
        wait_for(
            "claims of the ramp",
            look=lambda: clean.first(CLAIMS, namespace=where, at_most=1),
            ready=lambda seen: seen[1] >= 60,
            state=lambda seen: f"{seen[1]} claims",
            timeout_s=HANGS_S,
        )
        process.kill()
        process.wait()
    run_id = where.removeprefix(NAMESPACE_PREFIX)
    words = [sys.executable, "-m", "acceptance", "cleanup", f"--kubeconfig={cluster.kubeconfig}", "--run", run_id]
    with held_claim(clean, namespace=where) as held:
        first = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
        wait_for(
            "the first cleanup to be half-way",
            look=lambda: clean.first(CLAIMS, namespace=where, at_most=1),
            ready=lambda seen: seen[1] < 40,
            state=lambda seen: f"{seen[1]} claims",
            timeout_s=HANGS_S,
        )
        first.kill()
        first.wait()
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        second = subprocess.Popen(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        assert second.stdout is not None
        assert any(f"PVC {held}" in line for line in second.stdout)
    rest = second.stdout.read()
    assert second.wait(timeout=300) == 0, rest
    assert rest.endswith(f"run {run_id}: removed\n")


@contextmanager
def held_claim(api: Api, *, namespace: str) -> Iterator[str]:
    """The name of a claim that stays while the block does: else all may be gone before a second cleanup looks."""
    (claim,), _ = api.first(CLAIMS, namespace=namespace, at_most=1)
    name, finalizers = claim["metadata"]["name"], claim["metadata"]["finalizers"]
    api.patch(CLAIMS, name, {"metadata": {"finalizers": [*finalizers, "selftests/held"]}}, namespace=namespace)
    try:
        yield name
    finally:
        api.patch(CLAIMS, name, {"metadata": {"finalizers": []}}, namespace=namespace)


def test_wrong_options_are_told_all_at_once(reports: Path) -> None:
    wrong = {
        "--storage-ramp-pods=0": "--storage-ramp pods: Input should be greater than or equal to 1",
        "--storage-ramp-rate=10MiB/s": "--storage-ramp rate: expected a rate such as 750 or 30/min",
        "--storage-ramp-form=pod": "--storage-ramp form: Input should be 'set' or 'per-node'",
        "--storage-ramp-node-selector=pool": "expected a label of nodes as KEY=VALUE, found 'pool'",
    }
    run = run_suite(*RAMP, *wrong, reports=reports)
    assert run.status == 4, run.output
    assert [said for said in wrong.values() if said not in run.output] == []


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--storage-ramp-pods=59", "expected at least the 60 pods that tier baseline requires, found 59"),
        pytest.param(
            "--storage-ramp-rate=0", "--storage-ramp rate: expected a rate above zero", marks=pytest.mark.full
        ),
    ],
)
def test_wrong_options_are_told(option: str, said: str, reports: Path) -> None:
    run = run_suite(*RAMP, option, reports=reports)
    assert run.status == 4, run.output
    assert said in run.output


@pytest.mark.parametrize(
    ("pods", "selector", "said"),
    [
        (5000, "storage-acceptance/simulated=true", "nodes of the ramp hold 4000 more pods"),
        pytest.param(
            5,
            "storage-acceptance/simulated=no",
            "expected nodes with label storage-acceptance/simulated=no",
            marks=pytest.mark.full,
        ),
    ],
)
def test_nodes_that_cannot_hold_what_is_required_are_told_before_any_pod_is_made(
    pods: int, selector: str, said: str, simulated_nodes: list[str], clean: Api, reports: Path, tmp_path: Path
) -> None:
    where = ("--storage-ramp-node-selector", selector)
    run = run_suite(*SIMULATED, *where, limits(tmp_path, pods=pods), reports=reports)
    assert run.status == 10, run.output
    assert said in run.output
