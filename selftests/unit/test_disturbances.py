"""Disturbed storage: which commands may run, the writer that persists, the figures and verdicts of a disturbance."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.workspace import Workspace
from acceptance.judging.crashes import judge_durability, judge_release
from acceptance.judging.figures import judge_figure
from acceptance.limits.declared import DISTURBANCES as LIMITS
from acceptance.planning.assumed_throughput import EMBEDDED_CLUSTER
from acceptance.planning.failures import plan_crash
from acceptance.results.disturbances import DISTURBANCES
from acceptance.results.figures import FiguresRecord
from acceptance.settings.target_plans import DisturbancePlan
from acceptance.text.errors import StorageFailure
from acceptance.trials.crashes.acknowledged_records import lost_records
from acceptance.trials.crashes.cutting_off import Successor
from acceptance.trials.crashes.disturbing import (
    AGAIN_S,
    Disturbed,
    DisturbedTrial,
    cause_of,
    figures_of,
    require_writable,
)
from acceptance.trials.crashes.outage import no_disturbance
from acceptance.trials.crashes.shutting_down import figures_of_move
from acceptance.trials.crashes.trial import Crash, CrashSettings
from acceptance.trials.crashes.trials import lacks_plan
from acceptance.trials.crashes.writer import Writer, script
from acceptance.trials.crashes.writer_log import WriterLog
from selftests.bounds import HANGS_S
from selftests.unit.crash_records import durability, failover
from selftests.unit.paged_api_server import NAMESPACE, RUN_ID, Clock, PagedApiServer

INTERRUPTED = DISTURBANCES["storage-interrupted"]
SHELLS = [words for words in (["sh"], ["busybox", "sh"]) if shutil.which(words[0])]
TOKEN = "0123456789abcdef"


def plan(*words: str, durations_s: tuple[float, ...] = (5.0,)) -> DisturbancePlan:
    return DisturbancePlan(run=words or ("true",), restore=("true",), durations_s=durations_s, timeout_s=30.0)


def test_the_pod_writes_through_the_restart_of_each_node_but_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made = trial_of(PagedApiServer(), replace(plan("off", "{node}"), nodes=("node-1", "node-2", "node-3")))
    outages = list(made._outages(cast(Any, SimpleNamespace(node="node-2"))))
    assert [outage.subject for _, outage in outages] == ["node node-1", "node node-3"]


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_a_record_that_was_torn_or_refused_is_written_again_at_its_place(shell: list[str], tmp_path: Path) -> None:
    """The third and fourth calls of sync for records fail, and cut the file as a lost write does."""
    calls, ledger = tmp_path / "calls", tmp_path / "records"
    sync = f"""sync() {{
  [ "$1" = -d ] || return 0
  echo x >> {calls}
  case $(wc -l < {calls}) in 3|4) truncate -s -30 {ledger}; echo "sync: Input/output error" >&2; return 1;; esac
}}
"""
    names = {"LEDGER": str(ledger), "TOKEN": TOKEN, "MOST": "6", "HEEDS_TERM": "yes", "PERSISTS": "yes", "PAUSE": ""}
    process = subprocess.Popen(
        [*shell, "-c", sync + script("write_records.sh")],
        env=os.environ | names,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    log = WriterLog()
    assert process.stdout is not None
    for line in process.stdout:
        log.feed(line)
        if line.endswith(b" full\n"):
            break
    process.terminate()
    assert process.wait(timeout=HANGS_S) == 0
    process.stdout.close()
    assert (log.acknowledged_count, log.refusals, log.failure) == (6, {3}, "")
    assert "Input/output error" in log.other_lines
    assert lost_records(ledger.read_bytes(), token=TOKEN, acknowledged_count=6) == []


class PlayedWriter:
    """Records become durable again some seconds after the storage is restored; with `error` never."""

    def __init__(self, clock: Clock, *, after_s: float = 4.0, error: Exception | None = None) -> None:
        self.clock, self.after_s, self.error = clock, after_s, error
        self.acknowledged_count, self.refused_count, self.node = 40, 1, "node-1"
        self.moments = [(100.0, 40), (109.5, 41)]
        self.arrivals: list[tuple[float, int]] = [(clock.now_s, 40)]
        self.last_words = "Read-only file system"

    def write_for(self, seconds: float, *, records: int) -> None:
        assert seconds == AGAIN_S and records > self.acknowledged_count
        if self.error:
            raise self.error
        self.refused_count += 2
        self.arrivals.append((self.clock.now_s + self.after_s, 41))


def trial_of(server: PagedApiServer, disturbance: DisturbancePlan) -> DisturbedTrial:
    workspace = Workspace(api=server.api, run_id=RUN_ID, namespace=NAMESPACE, image="i", timeout_s=20.0)
    return DisturbedTrial(
        workspace=workspace,
        claim=workspace.claim("c", storage_class="fast", size=1),
        failure="nodes-restarted" if disturbance.nodes else "storage-interrupted",
        settings=CrashSettings(write_s=1, failover_s=1),
        node_failure=None,
        say=lambda text: None,
        disturbance=disturbance,
    )


def disturbed(monkeypatch: pytest.MonkeyPatch, disturbance: DisturbancePlan, **writer: Any) -> Disturbed:
    clock, server = Clock(monkeypatch), PagedApiServer()
    server.have("leases", {"metadata": {"name": "run"}}, NAMESPACE)
    trial = trial_of(server, disturbance)
    played = cast(Any, PlayedWriter(clock, **writer))
    ((seconds, outage),) = trial._outages(played)
    return trial._disturb(played, seconds, outage)


def test_a_disturbance_lasts_as_long_as_asked_and_is_undone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "log"
    tell = [sys.executable, "-c", f"import sys; open({str(log)!r}, 'a').write(sys.argv[1])"]
    both = DisturbancePlan(run=[*tell, "cut {node},"], restore=[*tell, "mended"], durations_s=[9.0], timeout_s=30.0)
    outcome = disturbed(monkeypatch, both)
    assert log.read_text() == "cut node-1,mended"
    assert outcome.writable_s == pytest.approx(4.0, abs=1.0) and outcome.problem == ""
    assert (outcome.lasted_s, outcome.refused, outcome.pause_s) == (9.0, 2, 9.5)


def test_a_pod_that_cannot_write_again_is_a_problem_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = disturbed(monkeypatch, plan(), error=StorageFailure("0 of 20 records"))
    assert outcome.writable_s is None
    assert "0 of 20 records" in outcome.problem and "Read-only file system" in outcome.problem


def outcome(**changes: Any) -> Disturbed:
    fields: dict[str, Any] = {"lasted_s": 10.0, "acknowledged": 3, "refused": 2, "pause_s": 12.0, "writable_s": 4.0}
    fields["subject"] = "the storage"
    return Disturbed(**fields | changes)


NEVER = outcome(lasted_s=180.0, writable_s=None, pause_s=None, problem="still read-only")


def judged(record: FiguresRecord, at_most_s: float) -> str:
    return judge_figure(record, LIMITS.limit(INTERRUPTED.metric, at_most_s, because="of a test")).status


def test_the_slowest_of_all_disturbances_is_judged() -> None:
    record = figures_of(
        [outcome(), outcome(lasted_s=180.0, writable_s=30.0)], failure="storage-interrupted", storage_class="fast"
    )
    assert (judged(record, 60.0), judged(record, 30.5), judged(record, 10.0)) == ("pass", "inconclusive", "fail")
    assert [row["Refused"] for row in record.rows] == [2, 2]


def test_one_that_never_became_writable_is_no_pass_and_fails_without_a_limit() -> None:
    record = figures_of([outcome(), NEVER], failure="storage-interrupted", storage_class="fast")
    assert judged(record, 60.0) == "inconclusive"
    crash = Crash(durability=durability(failure="storage-interrupted"), figures=record, problem=NEVER.problem)
    with pytest.raises(StorageFailure, match=r"did not become writable again.*still read-only"):
        require_writable(crash)
    require_writable(Crash(durability=crash.durability))


def test_what_was_done_is_told_with_the_pauses_that_are_known() -> None:
    assert cause_of([outcome(), NEVER]) == (
        "the storage away for 10 s: 3 records acknowledged and 2 refused meanwhile, with at most 12.0 s between two "
        "records; the storage away for 3 min: 3 records acknowledged and 2 refused meanwhile"
    )


def test_records_that_are_lost_and_a_volume_that_stays_fail() -> None:
    lost = judge_durability(durability(failure="storage-interrupted", lost=[(3, 9)]))
    assert lost.status == "fail" and "after the storage was interrupted and restored" in lost.reason
    stays = judge_release(failover(9.0, failure="storage-interrupted", stayed=["mounted at /a"]))
    assert (stays.status, stays.id) == ("fail", "fast/storage-interrupted/stayed/holds")
    assert judge_release(failover(9.0, failure="storage-interrupted", stayed=[])).status == "pass"


def test_a_move_from_a_node_that_was_shut_down_is_timed_and_what_stays_there_fails() -> None:
    moved = failover(50.0, 6.0, 1.0, failure="node-shut-down", stayed=["VolumeAttachment csi-1"])
    record, limit = figures_of_move(moved), DISTURBANCES["node-shut-down"].metric
    statuses = [
        judge_figure(record, LIMITS.limit(limit, bound_s, because="of a test")).status for bound_s in (60.0, 57.5, 50.0)
    ]
    assert statuses == ["pass", "inconclusive", "fail"]
    stays = judge_release(moved)
    assert stays.status == "fail" and "remained on node-1: VolumeAttachment csi-1" in stays.reason
    assert lacks_plan("node-shut-down", "none") == no_disturbance(DISTURBANCES["node-shut-down"])


def test_records_of_the_second_writer_that_are_lost_fail_with_a_verdict_of_their_own() -> None:
    verdicts = [
        judge_durability(durability(failure=cast(Any, failure), lost=[(2, 3)]))
        for failure in ("node-cut-off", "node-rejoined")
    ]
    assert [verdict.status for verdict in verdicts] == ["fail", "fail"]
    assert len({verdict.id for verdict in verdicts}) == 2
    assert "rejoined while the pod wrote" in verdicts[1].reason
    moved = figures_of_move(failover(50.0, 6.0, 1.0, failure="node-cut-off"))
    assert moved.figure(DISTURBANCES["node-cut-off"].metric) is not None


def test_the_second_writer_has_a_pod_and_a_file_of_its_own_on_another_node() -> None:
    workspace = Workspace(api=PagedApiServer().api, run_id=RUN_ID, namespace=NAMESPACE, image="i", timeout_s=20.0)
    claim = workspace.claim("c", storage_class="fast", size=1)
    first, second = Writer(workspace, claim, node=None), Successor(workspace, claim, away_from="node-1")
    assert second.plan.away_from == "node-1" and second.plan.name != first.plan.name
    assert second.plan.environment["LEDGER"] != first.plan.environment["LEDGER"]


def test_the_plan_counts_each_duration() -> None:
    settings = CrashSettings(write_s=5, failover_s=900)
    once, twice = (
        plan_crash("fast", "storage-interrupted", settings, speeds=EMBEDDED_CLUSTER, disturbed_s=durations_s)
        for durations_s in ([10.0], [10.0, 180.0])
    )
    assert twice.about_s - once.about_s > 180.0
    assert "interrupted" in once.description
