"""Rebuilds through the suite's own command line: a real brick is healed, limits fail with their arithmetic, and what
goes wrong is told and leaves nothing behind."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.resources import PODS, Object
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from embedded_cluster.commands import run
from embedded_cluster.glusterfs import VOLUME, GlusterFS
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.replica import CLASS
from embedded_cluster.state import read_state
from selftests.bounds import HANGS_S
from selftests.integration.rebuilds import FOREGROUND, LAX, REBUILD, SMALL, limits
from selftests.integration.suite import ROOT, SuiteRun, finish, own, run_in, run_suite, started_suite
from selftests.integration.test_interruption import cleanup

pytestmark = pytest.mark.disrupts


@pytest.fixture(scope="module")
def passed(api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A pattern rebuilt on the replicated class, with limits that this machine meets."""
    return rebuilt("full-data", tmp_path_factory.mktemp("rebuild"))


def rebuilt(pattern: str, folder: Path) -> SuiteRun:
    options = [*REBUILD, "-k", pattern, "--storage-class", CLASS, "--storage-rebuild-size", "384Mi"]
    return run_suite(*options, limits(folder, LAX + FOREGROUND), reports=folder / "reports")


def test_a_real_brick_is_rebuilt(passed: SuiteRun) -> None:
    require_passed(passed, "full-data")


@pytest.mark.full
def test_a_real_brick_is_rebuilt_after_writes_here_and_there(api: Api, tmp_path: Path) -> None:
    require_passed(rebuilt("alternating-4k", tmp_path), "alternating-4k")


def require_passed(run: SuiteRun, pattern: str) -> None:
    """What a load of seconds does beside other work varies as that work does: its limits may stay undecided."""
    assert run.status in (0, 6), run.output
    judged = [verdict for verdict in run.results["verdicts"] if verdict["status"] != "skipped"]
    assert {each["requirement"]["profile"] for each in judged} == {pattern}
    status_by_rule = {each["requirement"]["rule"]: each["status"] for each in judged}
    assert status_by_rule.pop("largest_volume") == "pass", run.output
    assert sorted(status_by_rule) == ["foreground_iops", "foreground_p99"]
    assert set(status_by_rule.values()) <= {"pass", "inconclusive"}, run.output


def test_time_rate_and_foreground_are_in_the_results(passed: SuiteRun) -> None:
    for record in passed.results["rebuilds"]:
        (rebuild,) = record["rebuilds"]
        assert record["driver"] == "command" and record["size"] == 384 * 1024**2
        assert 0.1 < rebuild["seconds"] < 300
        assert "killed and emptied" in rebuild["trigger"]
        largest = record["time_limit_s"] * record["size"] / rebuild["seconds"]
        assert record["largest_volume"]["mean"] == pytest.approx(largest)
        assert _share_seen(record) <= 1.01
        _require_foreground(record, seconds=rebuild["seconds"])
    # What was rebuilt before the first look is in no rate. The lab heals slowly until then.
    assert max(map(_share_seen, passed.results["rebuilds"])) > 0


def _require_foreground(record: dict[str, Any], *, seconds: float) -> None:
    """A fast machine rebuilds so little in less than a second; on a busy one all writes may wait until it is over."""
    load = record["foreground"]
    if load is None:
        assert seconds < 1.01 and "less than a second" in record["foreground_missing"], record
        return
    assert load["iops_before"]["mean"] > 0 and load["iops_during"]["batches"]
    assert load["points"][0]["at_s"] < 0 < load["points"][-1]["at_s"]


def _share_seen(record: dict[str, Any]) -> float:
    """Of what was rebuilt, that which the rates add up to."""
    (rebuild,) = record["rebuilds"]
    return sum((rate["to_s"] - rate["from_s"]) * rate["rate"] for rate in rebuild["rates"]) / record["size"]


def test_the_report_shows_them(passed: SuiteRun) -> None:
    html = (passed.folder / "latest" / "report.html").read_text()
    for shown in (
        "Rebuild of a lost replica",
        "Rate of the rebuild, in seconds since the replica was lost",
        "killed and emptied",
    ):
        assert shown in html


def test_nothing_is_degraded_afterwards(passed: SuiteRun, cluster: EmbeddedCluster) -> None:
    """In GlusterFS's own words, once it has looked again: files that went meanwhile stay on its list until then."""
    layout = Layout(cluster.name)
    state = read_state(layout)
    assert state is not None
    files = GlusterFS(layout=layout, daemons=Daemons(layout=layout, state=state), address=state.gateway)

    def counts() -> list[str]:
        files.command("volume", "heal", VOLUME)
        said = files.command("volume", "heal", VOLUME, "statistics", "heal-count")
        return re.findall(r"^Number of entries: (\d+)", said, re.MULTILINE)

    wait_for(
        "nothing to be left to heal",
        look=counts,
        ready=lambda seen: seen == ["0"] * 3,
        state=lambda seen: f"entries to heal on each brick: {seen}",
        timeout_s=HANGS_S,
    )
    status = files.command("volume", "status", VOLUME, "--xml")
    assert re.findall(r"/brick-\d/data</path>.*?<status>(\d)</status>", status, re.DOTALL) == ["1"] * 3, status


@pytest.mark.full
def test_limits_that_demand_more_fail_with_the_arithmetic(clean: Api, reports: Path, tmp_path: Path) -> None:
    section = """
      largest_volume:
        full-data: {at_least: 900PiB, because: everything must be whole at once}
"""
    # So much that its time is longer than it is uncertain: on a busy machine looks are 3 s apart, and two tell nothing.
    options = [*REBUILD, "-k", "full-data", "--storage-class", CLASS, "--storage-rebuild-size", "768Mi"]
    found = run_suite(*options, limits(tmp_path, section), "--storage-rebuild-snapshots", "2", reports=reports)
    assert found.status == 1, found.output
    verdict = found.verdict("rebuilt_in_time")
    assert verdict["status"] == "fail"
    assert re.search(
        r"rebuilt 768 MiB in .* \(measured once, to within .*\); in 24 h, divided by 2 snapshots, that is .*; expected "
        r"at least .*everything must be whole at once",
        verdict["reason"],
    )


@pytest.mark.full
def test_a_smaller_volume_is_rebuilt_before_and_others_are_projected(clean: Api, reports: Path, tmp_path: Path) -> None:
    """How long both take here is of the machine, and may leave the limit open.

    On a busy machine GlusterFS heals 128 MiB before the command that takes the brick away has seen that it is back.
    """
    options = [*REBUILD, "-k", "full-data", "--storage-class", CLASS, "--storage-rebuild-size", "768Mi"]
    found = run_suite(*options, limits(tmp_path), "--storage-rebuild-smaller", "50%", reports=reports)
    assert found.status in (0, 6), found.output
    (record,) = found.results["rebuilds"]
    assert (record["smaller"]["size"], record["size"]) == (384 * 1024**2, 768 * 1024**2)
    assert [len(each["rebuilds"]) for each in (record["smaller"], record)] == [1, 1]
    reason = found.verdict("rebuilt_in_time")["reason"]
    assert re.search(r"rebuilt 384 MiB in .* and 768 MiB in .* \(each measured once, to within .*\): ", reason)
    assert '<td class="number">384 MiB</td>' in (found.folder / "latest" / "report.html").read_text()


def test_without_consent_nothing_is_lost(clean: Api, reports: Path) -> None:
    found = run_suite("-m", "rebuild", "--storage-class", CLASS, reports=reports)
    assert found.status == 5, found.output
    assert "--storage-destructive" in found.output and found.results["rebuilds"] == []


def test_a_class_without_a_driver_is_skipped_with_those_there_are(clean: Api, reports: Path, tmp_path: Path) -> None:
    found = run_suite(*REBUILD, "--storage-class", "local-path", limits(tmp_path), reports=reports)
    assert found.status == 5, found.output
    reason = found.verdict("rebuilt_in_time[full-data")["reason"]
    assert "none for StorageClass local-path (provisioner rancher.io/local-path)" in reason
    assert all(word in reason for word in ("longhorn", "ceph", "command", "--storage-target"))


def target(folder: Path, **commands: str) -> str:
    """The option for a target file whose commands are those lines of Python."""
    path = folder / "target.yaml"
    lines = "".join(f"  {name}: [{sys.executable}, -c, {code!r}]\n" for name, code in commands.items())
    path.write_text(f"rebuild:\n  driver: command\n{lines}")
    return f"--storage-target={path}"


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        ({"trigger": "import sys; sys.exit('the brick is bolted down')", "healthy": ""}, "the brick is bolted down"),
        ({"trigger": "", "healthy": "import sys; sys.exit(1)"}, "must be complete before one is removed"),
        ({"trigger": "", "healthy": ""}, "the suite observed no rebuild"),
    ],
)
@pytest.mark.full
def test_a_command_that_fails_is_told_in_its_own_words(
    commands: dict[str, str], said: str, clean: Api, reports: Path, tmp_path: Path
) -> None:
    options = [*REBUILD, "-k", "full-data", "--storage-class", "local-path", *SMALL]
    found = run_suite(*options, target(tmp_path, **commands), limits(tmp_path), reports=reports)
    assert found.status == 10, found.output
    assert said in found.output
    assert "Traceback" not in found.output


def test_a_target_file_that_is_wrong_is_told_before_anything_is_made(reports: Path, tmp_path: Path) -> None:
    path = tmp_path / "target.yaml"
    path.write_text("rebuild: {driver: ceph, osd: 3}\n")
    found = run_suite(*REBUILD, f"--storage-target={path}", reports=reports)
    assert found.status == 4, found.output
    assert "target.yaml:1: rebuild.may_move_other_data: expected this key" in found.output


@contextmanager
def rebuilding(folder: Path, reports: Path) -> Iterator[subprocess.Popen[str]]:
    """A run whose replica is lost, and comes back with the file `back` in the folder."""
    lost, back = folder / "lost", folder / "back"
    commands = {
        "trigger": f"open({str(lost)!r}, 'w')",
        "healthy": f"import os, sys; sys.exit(os.path.exists({str(lost)!r}))",
        "restore": f"open({str(back)!r}, 'w')",
    }
    options = [*REBUILD, "-k", "full-data", "--storage-class", "local-path", *SMALL, limits(folder)]
    with started_suite(*options, target(folder, **commands), reports=reports) as process:
        wait_for("the trigger", look=lost.exists, ready=bool, state=str, timeout_s=HANGS_S)
        yield process


def test_an_interrupted_rebuild_is_put_back(clean: Api, reports: Path, tmp_path: Path) -> None:
    """Ctrl-C while it goes on: the command that puts it back is run, and nothing of the run stays."""
    with rebuilding(tmp_path, reports) as process:
        process.send_signal(signal.SIGINT)
        found = finish(process, reports=reports)
    assert found.status == 2, found.output
    assert (tmp_path / "back").exists()


def test_what_a_killed_run_lost_on_purpose_is_named_by_the_next_cleanup(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    with rebuilding(tmp_path, reports) as process:
        process.kill()
        process.wait()
    (named,) = [line for line in cleanup(cluster, "--list").stdout.splitlines() if "did not restore it" in line]
    assert "a replica of volume pvc-" in named and " fail and did not restore it; run `" in named
    words = shlex.split(named.partition("`")[2].rpartition("`")[0])
    assert subprocess.run(words, cwd=ROOT, check=False).returncode == 0 and (tmp_path / "back").exists()
    run_id = run_in(reports)
    assert f"run {run_id}: removed" in cleanup(cluster, "--run", run_id).stdout


@pytest.mark.full
def test_a_foreground_load_that_is_killed_leaves_the_rebuild_timed(clean: Api, reports: Path, tmp_path: Path) -> None:
    lost, done = tmp_path / "lost", tmp_path / "done"
    commands = {
        "trigger": f"open({str(lost)!r}, 'w')",
        "healthy": f"import os, sys; sys.exit(os.path.exists({str(lost)!r}) and not os.path.exists({str(done)!r}))",
    }
    options = [*REBUILD, "-k", "full-data", "--storage-class", "local-path", *SMALL]
    given = [target(tmp_path, **commands), limits(tmp_path, LAX + FOREGROUND), "--storage-timeout", "60s"]
    with started_suite(*options, *given, reports=reports) as process:
        wait_for("the trigger", look=lost.exists, ready=bool, state=str, timeout_s=HANGS_S)
        (pod,) = [each for each in own(clean, PODS) if "foreground" in each["metadata"]["name"]]
        _require_commands_run_in(pod, clean)
        clean.delete(PODS, pod["metadata"]["name"], namespace=pod["metadata"]["namespace"], grace_s=0)
        wait_for(
            "the pod to be deleted",
            look=lambda: clean.find(PODS, pod["metadata"]["name"], namespace=pod["metadata"]["namespace"]),
            ready=lambda seen: seen is None,
            state=str,
            timeout_s=HANGS_S,
        )
        done.touch()
        found = finish(process, reports=reports)
    assert found.verdict("rebuilt_in_time")["status"] == "pass", found.output
    for kind in ("foreground_iops", "foreground_p99"):
        assert found.verdict(kind)["status"] == "inconclusive"
        assert "so it cannot be judged" in found.verdict(kind)["reason"]


def _require_commands_run_in(pod: Object, api: Api) -> None:
    """As the driver for Ceph runs them in its toolbox."""
    where: dict[str, Any] = {"namespace": pod["metadata"]["namespace"], "container": MAIN, "timeout_s": 20}
    name = pod["metadata"]["name"]
    done = api.execute(name, command=["sh", "-c", "echo out; echo err >&2; exit 7"], **where)
    assert (done.status, done.stdout, done.stderr) == (7, "out\n", "err\n")
    assert api.execute(name, command=["echo", "a b", "{}"], **where).stdout == "a b {}\n"
    with pytest.raises(ApiUnreachable, match="no-such-program"):
        api.execute(name, command=["no-such-program"], **where)
    with pytest.raises(ApiUnreachable, match="did not end within 2 s"):
        api.execute(name, command=["sleep", "30"], **where | {"timeout_s": 2})


def test_the_commands_of_the_embedded_cluster_tell_what_they_find(cluster: EmbeddedCluster) -> None:
    """By hand, on a folder that is no volume's."""
    words = [sys.executable, "-m", "embedded_cluster.rebuild", "whole", cluster.name, "pvc-0_no_such"]
    with pytest.raises(Exception, match="has no volume folder pvc-0_no_such"):
        run(words, environment=dict(os.environ), cwd=Path(__file__).parents[2])
