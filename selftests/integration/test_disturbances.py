"""Storage that is interrupted while pods write, for real, through the suite's own command line."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster, disturbance_commands
from embedded_cluster.storage_control import restore_storage
from selftests.bounds import HANGS_S
from selftests.integration.suite import (
    SuiteRun,
    finish,
    left_behind,
    run_in,
    run_suite,
    started_suite,
)
from selftests.integration.test_interruption import cleanup
from selftests.lab.csi_classes import CLASS, class_of, faulty_classes

pytestmark = [pytest.mark.disrupts, pytest.mark.full]

TESTS = ("tests/test_disturbances.py", "--storage-destructive", "--storage-durability-time", "2s")
RESTARTS = ("-k", "restarted or writable_after_restart")
LIES, REFUSES, READ_ONLY = "lies-while-interrupted", "refuses-interrupted", "stays-read-only"
LOSES, APART = "lost-at-node-start", "nodes-apart"


@pytest.fixture
def storage(cluster: EmbeddedCluster) -> Iterator[None]:
    """The cluster's storage, which is restored whatever a test leaves."""
    try:
        yield
    finally:
        restore_storage(cluster.name)


def target(folder: Path, commands: dict[str, list[str]], *, key: str = "interrupt") -> str:
    """The option for a target file with these commands, which disturb the storage."""
    path = folder / "target.yaml"
    lines = "".join(f"    {name}: {words!r}\n" for name, words in commands.items())
    path.write_text(f"disturb:\n  {key}:\n{lines}")
    return f"--storage-target={path}"


def run_with(
    cluster: EmbeddedCluster, api: Api, folder: Path, storage_class: str, *options: str, durations: list[str]
) -> SuiteRun:
    option = target(folder, disturbance_commands(name=cluster.name)["interrupt"] | {"durations": durations})
    run = run_suite(*TESTS, "--storage-class", storage_class, option, *options, reports=folder / "reports")
    assert left_behind(api) == []
    return run


def statuses(run: SuiteRun) -> dict[str, str]:
    """The status of each verdict that is not skipped, by the name of its test."""
    verdicts = [verdict for verdict in run.results["verdicts"] if verdict["status"] != "skipped"]
    return {verdict["test"].rpartition("::")[2].partition("[")[0]: verdict["status"] for verdict in verdicts}


def test_good_storage_continues_after_an_interruption(
    storage: None, cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    run = run_with(cluster, clean, tmp_path, CLASS, durations=["5s", "8s"])
    assert run.status == 0, run.output
    assert set(statuses(run).values()) == {"pass"} and len(statuses(run)) == 4
    (record,), (moved,), (figures,) = (run.results[key] for key in ("durability", "failovers", "figures"))
    assert record["lost"] == [] and record["node"] != record["read_on"] and moved["stayed"] == []
    pauses = [row["Longest pause (s)"] for row in figures["rows"]]
    assert pauses[0] >= 4.5 and pauses[1] >= 7.5, "the volume did not stand still"


def test_records_that_are_acknowledged_during_an_interruption_and_lost_fail(
    storage: None, cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    with faulty_classes(clean, [LIES]):
        run = run_with(cluster, clean, tmp_path, class_of(LIES), durations=["3s"])
    assert run.status == 1, run.output
    verdict = run.verdict("survive_interrupted_storage")
    assert verdict["status"] == "fail" and "records are lost" in verdict["reason"]
    (record,) = run.results["durability"]
    assert len(record["lost"]) == 1 and record["lost"][0][1] < record["acknowledged"]


def test_a_volume_that_stays_read_only_fails_and_keeps_its_records(
    storage: None, cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    with faulty_classes(clean, [READ_ONLY]):
        run = run_with(cluster, clean, tmp_path, class_of(READ_ONLY), "--storage-timeout", "40s", durations=["3s"])
    assert run.status == 1, run.output
    verdict = run.verdict("writable_again_after_interrupted_storage")
    assert verdict["status"] == "fail" and "Read-only file system" in verdict["reason"]
    assert run.verdict("survive_interrupted_storage")["status"] == "pass"
    assert statuses(run)["test_disturbed_storage_is_writable_in_time"] == "inconclusive"


def test_refused_records_are_written_again_and_none_counts_as_acknowledged(
    storage: None, cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    with faulty_classes(clean, [REFUSES]):
        run = run_with(cluster, clean, tmp_path, class_of(REFUSES), "-k", "survive or writable", durations=["4s"])
    assert run.status == 0, run.output
    (row,) = run.results["figures"][0]["rows"]
    assert row["Refused"] == 1 and row["Longest pause (s)"] >= 3.5


def test_replicas_that_are_away_for_longer_than_their_clients_wait_for_them_continue(
    storage: None, cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    """GlusterFS's clients disconnect after 42 s."""
    run = run_with(cluster, clean, tmp_path, "replicated", "-k", "survive or writable_again", durations=["50s"])
    assert run.status == 0, run.output
    (row,) = run.results["figures"][0]["rows"]
    assert row["Longest pause (s)"] > 45


def test_nodes_are_restarted_in_turn_and_all_records_are_kept(
    cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    option = target(tmp_path, disturbance_commands(name=cluster.name)["restart"] | {"durations": ["2s"]}, key="restart")
    run = run_suite(*TESTS, "--storage-class=replicated", option, *RESTARTS, reports=tmp_path / "reports")
    assert run.status == 0, run.output
    (record,), (figures,) = run.results["durability"], run.results["figures"]
    assert record["lost"] == [] and f"finally node {record['node']}" in record["what"]
    restarted = {row["Disturbed"] for row in figures["rows"]} | {f"node {record['node']}"}
    assert restarted == {f"node {cluster.name}-node-{number}" for number in (1, 2, 3)}
    assert left_behind(clean) == []


def test_records_that_a_node_loses_when_it_starts_fail(cluster: EmbeddedCluster, clean: Api, tmp_path: Path) -> None:
    restart = disturbance_commands(name=cluster.name)["restart"] | {"durations": ["2s"]}
    option = target(tmp_path, restart | {"nodes": restart["nodes"][:1]}, key="restart")
    with faulty_classes(clean, [LOSES]):
        options = (f"--storage-class={class_of(LOSES)}", option, "-k", "survive_restarted")
        run = run_suite(*TESTS, *options, reports=tmp_path / "reports")
    assert run.status == 1, run.output
    verdict = run.verdict("survive_restarted_nodes")
    assert verdict["status"] == "fail" and "records are lost" in verdict["reason"]
    assert left_behind(clean) == []


def test_records_survive_nodes_that_are_down_together(cluster: EmbeddedCluster, clean: Api, tmp_path: Path) -> None:
    restart = disturbance_commands(name=cluster.name)["restart_together"] | {"durations": ["2s"]}
    option = target(tmp_path, restart, key="restart_together")
    words = ("-k", "joint_restart")
    run = run_suite(*TESTS, "--storage-class=replicated", option, *words, reports=tmp_path / "reports")
    assert run.status == 0, run.output
    assert list(statuses(run).values()) == ["pass", "pass"]
    assert left_behind(clean) == []


def test_records_that_nodes_lose_when_they_start_together_fail(
    cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    restart = disturbance_commands(name=cluster.name)["restart_together"] | {"durations": ["2s"]}
    option = target(tmp_path, restart, key="restart_together")
    with faulty_classes(clean, [LOSES]):
        options = (f"--storage-class={class_of(LOSES)}", option, "-k", "survive_a_joint_restart")
        run = run_suite(*TESTS, *options, reports=tmp_path / "reports")
    assert run.status == 1, run.output
    verdict = run.verdict("survive_a_joint_restart_of_nodes")
    assert verdict["status"] == "fail" and "records are lost" in verdict["reason"]
    assert left_behind(clean) == []


SHUT_DOWN = ("-k", "shut_down_node or used_elsewhere and not cut")


def test_a_volume_moves_from_a_node_that_was_shut_down(cluster: EmbeddedCluster, clean: Api, tmp_path: Path) -> None:
    option = target(tmp_path, disturbance_commands(name=cluster.name)["shutdown"], key="shutdown")
    run = run_suite(*TESTS, f"--storage-class={CLASS}", option, *SHUT_DOWN, reports=tmp_path / "reports")
    assert run.status == 0, run.output
    assert len(statuses(run)) == 3 and set(statuses(run).values()) == {"pass"}
    (record,), (moved,) = run.results["durability"], run.results["failovers"]
    assert record["lost"] == [] and record["node"] != record["read_on"] and moved["stayed"] == []
    assert left_behind(clean) == []


def test_records_that_only_the_node_that_was_shut_down_has_fail(
    cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    option = target(tmp_path, disturbance_commands(name=cluster.name)["shutdown"], key="shutdown")
    with faulty_classes(clean, [APART]):
        options = (f"--storage-class={class_of(APART)}", option, "-k", "survive_a_shut_down_node")
        run = run_suite(*TESTS, *options, reports=tmp_path / "reports")
    assert run.status == 1, run.output
    verdict = run.verdict("survive_a_shut_down_node")
    assert verdict["status"] == "fail" and "records are lost" in verdict["reason"]
    assert left_behind(clean) == []


def test_both_writers_keep_their_records_when_a_node_was_cut_off_and_rejoins(
    cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    option = target(tmp_path, disturbance_commands(name=cluster.name)["cut"], key="cut")
    words = ("-k", "cut_off or successor or used_elsewhere_after_cut")
    run = run_suite(*TESTS, f"--storage-class={CLASS}", option, *words, reports=tmp_path / "reports")
    assert run.status == 0, run.output
    assert len(statuses(run)) == 4 and set(statuses(run).values()) == {"pass"}
    first, successor = run.results["durability"]
    assert first["lost"] == successor["lost"] == [] and first["node"] != successor["node"]
    late = int(first["what"].partition("later reported ")[2].partition(" ")[0].replace(",", ""))
    assert late > 0, "what the pod wrote while its node was cut off never arrived"
    assert left_behind(clean) == []


def test_records_that_one_of_two_writers_loses_fail(cluster: EmbeddedCluster, clean: Api, tmp_path: Path) -> None:
    option = target(tmp_path, disturbance_commands(name=cluster.name)["cut"], key="cut")
    with faulty_classes(clean, [APART]):
        options = (f"--storage-class={class_of(APART)}", option, "-k", "survive_a_node_that_was_cut_off or successor")
        run = run_suite(*TESTS, *options, reports=tmp_path / "reports")
    assert run.status == 1, run.output
    assert set(statuses(run).values()) == {"fail"} and len(statuses(run)) == 2
    assert all("records are lost" in verdict["reason"] for verdict in run.results["verdicts"])
    assert left_behind(clean) == []


def test_what_a_killed_run_interrupted_is_named_by_the_next_cleanup(
    cluster: EmbeddedCluster, clean: Api, tmp_path: Path
) -> None:
    begun, reports = tmp_path / "begun", tmp_path / "reports"
    interrupt = {"run": ["touch", str(begun)], "restore": ["rm", str(begun)], "durations": ["60s"]}
    option = target(tmp_path, interrupt)
    with started_suite(*TESTS, "--storage-class=local-path", option, "-k", "in_time", reports=reports) as process:
        wait_for("the interruption", look=begun.exists, ready=bool, state=str, timeout_s=HANGS_S)
        process.kill()
        process.wait()
    run_id = run_in(reports)
    (named,) = [line for line in cleanup(cluster, "--list").stdout.splitlines() if "did not restore it" in line]
    assert f"the run made the storage fail and did not restore it; run `rm {begun}`" in named
    assert f"run {run_id}: removed" in cleanup(cluster, "--run", run_id).stdout


def test_an_interruption_of_the_run_restores_the_storage(cluster: EmbeddedCluster, clean: Api, tmp_path: Path) -> None:
    begun, reports = tmp_path / "begun", tmp_path / "reports"
    interrupt = {"run": ["touch", str(begun)], "restore": ["rm", str(begun)], "durations": ["60s"]}
    option = target(tmp_path, interrupt)
    with started_suite(*TESTS, "--storage-class=local-path", option, "-k", "in_time", reports=reports) as process:
        wait_for("the interruption", look=begun.exists, ready=bool, state=str, timeout_s=HANGS_S)
        process.send_signal(signal.SIGINT)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output
    assert not begun.exists() and left_behind(clean) == []


def test_without_consent_or_commands_nothing_is_interrupted(
    clean: Api, cluster: EmbeddedCluster, reports: Path
) -> None:
    words = [test for test in TESTS if test != "--storage-destructive"]
    run = run_suite(*words, "--storage-class", CLASS, reports=reports)
    assert run.status == 5 and all("--storage-destructive" in verdict["reason"] for verdict in run.results["verdicts"])
    elsewhere = ("--storage-kubeconfig", str(cluster.kubeconfig))
    run = run_suite(*TESTS, *elsewhere, "--storage-class", CLASS, reports=reports)
    assert run.status == 5, run.output
    assert all("capability 'disturbance'" in verdict["reason"] for verdict in run.results["verdicts"])
