"""Crashes through the suite's own command line: honest storage keeps what it acknowledged, a disk that forgets is
caught with the numbers of what it lost, and a node that was made to fail always comes back."""

import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import NODES, PODS
from acceptance.cluster.waiting import wait_for
from acceptance.trials.crashes.acknowledged_records import record
from embedded_cluster import EmbeddedCluster, node_failure_commands
from embedded_cluster.layout import Layout
from embedded_cluster.state import read_state
from embedded_cluster.timers import SHORT_GRACE_S
from selftests.bounds import HANGS_S
from selftests.integration.suite import ROOT, SuiteRun, finish, own, run_in, run_suite, started_suite
from selftests.integration.test_faults_of_nodes import wait_ready
from selftests.integration.test_interruption import cleanup
from selftests.lab.api_server import restart_api_server
from selftests.lab.provisioner import LabClass, lab_classes
from selftests.lab.volatile_cache import volatile_cache_disk

pytestmark = pytest.mark.disrupts

CRASHES = ("tests/test_durability.py", "tests/test_failover.py", "--storage-durability-time", "2s")
NODES_TOO = (*CRASHES, "--storage-destructive")
VOLATILE, TORN = "lab-volatile-cache", "lab-torn"
KEPT = 10


def limits(folder: Path, *, at_most: str = "5min") -> str:
    """The option for a limits file that asks for a failover and nothing else."""
    path = folder / "limits.yaml"
    time = f"{{at_most: {at_most}, because: the test wants it so}}"
    path.write_text(f"version: 1\ntiers:\n  baseline:\n    description: for a test\n    failover: {{time: {time}}}\n")
    return f"--storage-thresholds={path}"


def target(folder: Path, *, fail: str, restore: list[str]) -> str:
    """The option for a target file whose failing command is those lines of Python, told the node."""
    code = folder / "fail.py"
    code.write_text(fail)
    commands = {"fail": [sys.executable, str(code), "{node}"], "restore": restore}
    path = folder / "target.yaml"
    lines = "".join(f"  {key}: {words!r}\n" for key, words in commands.items())
    path.write_text(f"node_failure:\n{lines}  timeout: 120s\n")
    return f"--storage-target={path}"


def restore(cluster: EmbeddedCluster) -> list[str]:
    return node_failure_commands(name=cluster.name)["restore"]


@pytest.fixture(scope="module")
def passed(api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """Each kind of crash, on the class that shows it."""
    folder = tmp_path_factory.mktemp("crashes")
    wanted = "replicated and (another_node or failed_node or failover) or local-path and (killed_pod or failed_node)"
    classes = ("--storage-class=replicated", "--storage-class=local-path")
    return run_suite(*NODES_TOO, *classes, "-k", wanted, limits(folder), reports=folder / "reports")


def test_honest_storage_keeps_every_acknowledged_record(passed: SuiteRun) -> None:
    assert passed.status == 0, passed.output
    found = {(each["storage_class"], each["failure"]): each for each in passed.results["durability"]}
    assert set(found) == {
        ("replicated", "pod-killed-and-moved"),
        ("replicated", "node-failed"),
        ("replicated", "failover"),
        ("local-path", "pod-killed"),
        ("local-path", "node-failed"),
    }
    for (_, failure), each in found.items():
        assert each["acknowledged"] >= 20 and each["lost"] == []
        assert each["whole"] >= each["acknowledged"]
        assert (each["node"] == each["read_on"]) == (failure in ("pod-killed", "node-failed"))
        assert ("processes were killed at the same time" in each["what"]) == (failure in ("node-failed", "failover"))


def test_a_volume_that_is_bound_to_its_node_is_not_asked_to_move(passed: SuiteRun) -> None:
    (verdict,) = [each for each in passed.results["verdicts"] if "another_node[local-path" in each["test"]]
    assert verdict["status"] == "skipped"
    assert "capability 'another node': volumes of local-path can be used from" in verdict["reason"]


def test_a_failover_is_timed_in_phases(passed: SuiteRun, cluster: EmbeddedCluster) -> None:
    (failover,) = passed.results["failovers"]
    phases = {phase["name"]: phase["seconds"] for phase in failover["phases"]}
    assert next(iter(phases)) == "node seen to be lost" and list(phases)[-1] == "first durable write"
    assert {"pod taken off it", "new pod given a node", "new pod runs with the volume"} <= set(phases)
    # The cluster waits for so long a silence before it takes a node for lost: 50 s, if not told otherwise.
    state = read_state(Layout(cluster.name))
    silence_s = SHORT_GRACE_S if state is not None and state.short_timers else 50
    # Less by as long as the node had not been heard of when it failed.
    assert 0.2 * silence_s < phases["node seen to be lost"] < silence_s + 200
    verdict = passed.verdict("failover_completes_in_time")
    assert verdict["status"] == "pass" and verdict["measured"] == pytest.approx(sum(phases.values()))
    assert failover["failed_node"] != failover["node"]


def test_the_report_shows_crashes_and_phases(passed: SuiteRun) -> None:
    html = (passed.folder / "latest" / "report.html").read_text()
    assert "Acknowledged records after a crash" in html
    assert re.search(r"Failover of replicated: [\d.]+ (s|min)", html)
    assert "storage_acceptance_failover_seconds{" in (passed.folder / "latest" / "metrics.prom").read_text()


def test_the_failed_nodes_are_back(passed: SuiteRun, api: Api) -> None:
    for node in api.list(NODES):
        wait_ready(api, name_of(node), ready=True)


@pytest.fixture(scope="module")
def caught(
    cluster: EmbeddedCluster, api: Api, lab_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SuiteRun]:
    """Two classes whose nodes fail: a disk that acknowledges flushes that it has not done, and one that loses the end
    of a file and a byte before."""
    folder, torn = tmp_path_factory.mktemp("volatile-cache"), lab_folder / "torn"
    torn.mkdir()
    torn.chmod(0o777)
    disk_folder = lab_folder / "volatile-cache"
    fail = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from selftests.lab import volatile_cache
volatile_cache.main(["fail", {cluster.name!r}, {str(disk_folder)!r}, sys.argv[1]])
for records in Path({str(torn)!r}).glob("*/records"):
    kept = bytearray(records.read_bytes()[:{KEPT * len(record(1, token="0" * 16))}])
    kept[150] ^= 1
    records.write_bytes(kept)
"""
    classes = [LabClass(name=TORN, folder=torn)]
    with volatile_cache_disk(disk_folder, size="256M") as disk:
        classes.append(LabClass(name=VOLATILE, folder=disk.mounted))
        with lab_classes(api, classes):
            yield run_suite(
                *NODES_TOO,
                *("-k", f"failed_node or {VOLATILE} and killed_pod and not another"),
                f"--storage-class={VOLATILE}",
                f"--storage-class={TORN}",
                target(folder, fail=fail, restore=restore(cluster)),
                limits(folder),
                reports=folder / "reports",
            )


def test_a_disk_that_forgets_is_caught_when_its_node_fails(caught: SuiteRun) -> None:
    assert caught.status == 1, caught.output
    (verdict,) = [each for each in caught.results["verdicts"] if f"failed_node[{VOLATILE}" in each["test"]]
    assert verdict["status"] == "fail"
    assert re.fullmatch(
        r"all ([\d,]+) acknowledged records are lost on lab-volatile-cache after the node failed and came back "
        r"\(read on .*\): 1 to \1; the storage acknowledged them before they were durable, or lost them later\.",
        verdict["reason"],
    )
    assert verdict["reason"] in caught.output


def test_what_a_dead_pod_acknowledged_it_still_has(caught: SuiteRun) -> None:
    """Its cache survives the pod: only the node's failure shows what it held back."""
    (verdict,) = [each for each in caught.results["verdicts"] if "killed_pod[" in each["test"]]
    assert verdict["status"] == "pass"


def test_records_that_are_lost_in_part_are_told_by_number(caught: SuiteRun) -> None:
    (verdict,) = [each for each in caught.results["verdicts"] if f"failed_node[{TORN}" in each["test"]]
    (found,) = [each for each in caught.results["durability"] if each["storage_class"] == TORN]
    last = found["acknowledged"]
    assert found["lost"] == [[2, 2], [KEPT + 1, last]] and found["whole"] == KEPT - 1
    assert verdict["reason"].startswith(f"{last - KEPT + 1:,} of {last:,} acknowledged records are lost on {TORN}")
    assert f": 2, {KEPT + 1} to {last:,};" in verdict["reason"]


@pytest.mark.parametrize(
    ("fail", "said"),
    [
        ("import sys; sys.exit('the switch is locked')", "the switch is locked"),
        pytest.param("", "still writes, although that node was made to fail", marks=pytest.mark.full),
    ],
    ids=["fails", "does nothing"],
)
def test_a_hook_that_does_not_fail_the_node_is_no_verdict(
    fail: str, said: str, cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Nothing is said of the storage, and the node is restored all the same."""
    restored = tmp_path / "restored"
    back = [sys.executable, "-c", f"import sys; open({str(restored)!r}, 'w').write(sys.argv[1])", "{node}"]
    options = [*NODES_TOO, "-k", "failed_node", "--storage-class=local-path"]
    found = run_suite(*options, target(tmp_path, fail=fail, restore=back), limits(tmp_path), reports=reports)
    assert found.status == 10, found.output
    assert said in found.output and "Traceback" not in found.output
    assert found.results["durability"] == [] and found.results["verdicts"] == []
    assert restored.read_text().startswith(f"{cluster.name}-node-")


def test_an_interruption_while_the_node_is_down_brings_it_back(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    down = tmp_path / "down"
    fail = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import embedded_cluster
embedded_cluster.stop_node({cluster.name!r}, sys.argv[1])
open({str(down)!r}, "w").write(sys.argv[1])
"""
    hook = target(tmp_path, fail=fail, restore=restore(cluster))
    options = [*NODES_TOO, "-k", "failover_completes_in_time", "--storage-class=replicated", hook, limits(tmp_path)]
    with started_suite(*options, reports=reports) as process:
        wait_for("the node to fail", look=down.exists, ready=bool, state=str, timeout_s=HANGS_S)
        process.send_signal(signal.SIGINT)
        found = finish(process, reports=reports)
    assert found.status == 2, found.output
    wait_ready(clean, down.read_text(), ready=True)


def test_what_a_killed_run_made_to_fail_is_named_by_the_next_cleanup(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Nobody else knows that the node is down, and how it comes back."""
    down = tmp_path / "down"
    fail = f"import sys; open({str(down)!r}, 'w').write(sys.argv[1])"
    hook = target(tmp_path, fail=fail, restore=restore(cluster))
    options = [*NODES_TOO, "-k", "failed_node", "--storage-class=local-path", hook]
    with started_suite(*options, reports=reports) as process:
        wait_for("the hook to begin", look=down.exists, ready=bool, state=str, timeout_s=HANGS_S)
        process.kill()
        process.wait()
    run_id = run_in(reports)
    listed = cleanup(cluster, "--list")
    (named,) = [line for line in listed.stdout.splitlines() if "did not restore it" in line]
    assert f"the run made node {down.read_text()} fail and did not restore it; run `" in named
    words = shlex.split(named.partition("`")[2].rpartition("`")[0])
    assert subprocess.run(words, cwd=ROOT, check=False).returncode == 0
    assert f"run {run_id}: removed" in cleanup(cluster, "--run", run_id).stdout


@pytest.mark.parametrize(
    "interrupted",
    [False, pytest.param(True, marks=pytest.mark.full)],
    ids=["fails", "is interrupted"],
)
def test_a_node_that_cannot_be_restored_is_told_of(
    interrupted: bool, cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Whatever else went wrong: somebody must look after it."""
    begun = tmp_path / "begun"
    fail = f"import sys, time; open({str(begun)!r}, 'w'); time.sleep({60 * interrupted}); sys.exit('no route')"
    back = [sys.executable, "-c", "import sys; sys.exit('the switch does not answer')"]
    hook = target(tmp_path, fail=fail, restore=back)
    options = [*NODES_TOO, "-k", "failed_node", "--storage-class=local-path", hook, limits(tmp_path)]
    with started_suite(*options, reports=reports) as process:
        if interrupted:
            wait_for("the hook", look=begun.exists, ready=bool, state=str, timeout_s=HANGS_S)
            process.send_signal(signal.SIGINT)
        found = finish(process, reports=reports)
    assert found.status == (2 if interrupted else 10), found.output
    assert ("no route" in found.output) != interrupted
    (told,) = [error for error in found.results["errors"] if "the switch does not answer" in error]
    assert f"restores node {cluster.name}-node-" in told and told.splitlines()[0] in found.output


def test_nodes_by_hand(cluster: EmbeddedCluster) -> None:
    """Restoring a node that runs leaves it alone; a node that there is not is told."""

    def by_hand(action: str, node: str) -> int:
        words = [sys.executable, "-m", "embedded_cluster", action, "--name", cluster.name, node]
        return subprocess.run(words, cwd=ROOT, check=False).returncode

    before = read_state(Layout(cluster.name))
    assert by_hand("node-restore", f"{cluster.name}-node-1") == 0
    assert read_state(Layout(cluster.name)) == before
    assert by_hand("node-fail", "no-such-node") == 4


def test_without_a_hook_it_is_skipped_and_the_option_named(cluster: EmbeddedCluster, clean: Api, reports: Path) -> None:
    """As on any cluster of which nobody says how its nodes fail."""
    image = f"--storage-image={cluster.image}"
    options = [f"--storage-kubeconfig={cluster.kubeconfig}", image, "--storage-class=local-path"]
    found = run_suite(*NODES_TOO, "-k", "failed_node", *options, reports=reports)
    assert found.status == 5, found.output
    assert "--storage-target" in found.verdict("failed_node")["reason"]
    assert "capability 'node failure'" in found.verdict("failed_node")["reason"]


def test_a_log_that_breaks_off_is_taken_up_again(cluster: EmbeddedCluster, clean: Api, reports: Path) -> None:
    """The API server goes in the middle of the writing: what was acknowledged meanwhile is demanded all the same.

    It is written for long enough that the server is back when the pod is killed, however late it went.
    """
    options = [*CRASHES, "-k", "killed_pod and not another", "--storage-class=local-path"]
    with started_suite(*options, "--storage-durability-time", "20s", reports=reports) as process:
        wait_for(
            "the writer to run",
            look=lambda: [each["status"]["phase"] for each in own(clean, PODS)],
            ready=lambda seen: "Running" in seen,
            state=str,
            timeout_s=HANGS_S,
        )
        restart_api_server(cluster.name, down_s=1.0)
        found = finish(process, reports=reports)
    assert found.status == 0, found.output
    (crash,) = found.results["durability"]
    assert crash["lost"] == []
    # Read again from its start to its end, the log names all but the last that were on their way.
    assert 10 <= 0.5 * crash["whole"] <= crash["acknowledged"] <= crash["whole"]
