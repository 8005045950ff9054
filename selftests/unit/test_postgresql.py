"""A PostgreSQL that is killed: what its pods print is read, and what is lost, damaged or broken fails and is told."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.workspace import Workspace
from acceptance.judging.postgresql import judge_postgresql
from acceptance.report.summary import render_summary
from acceptance.report.workloads import workload_sentences
from acceptance.results.document import Status
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.postgresql import trial
from acceptance.trials.postgresql.image import NoPostgresql
from acceptance.trials.postgresql.logs import CommitLog, Recovery, recovery_in
from acceptance.trials.postgresql.trial import script
from embedded_cluster import images, layout, locking, postgresql
from embedded_cluster.state import LoadedImages, read_state, write_state
from selftests.unit.postgresql_records import postgresql as killed
from selftests.unit.test_embedded_state import a_state
from selftests.unit.test_report import Page, results
from selftests.unit.test_workloads import LIMITS, found, verdict

SHELLS = [words for words in (["sh"], ["busybox", "sh"]) if shutil.which(words[0])]
PRINTED = b"""pgbench (17.6)
progress: 1.0 s, 800.0 tps, lat 4.9 ms stddev 2.1, 0 failed
Time: 1.500 ms
storage-acceptance: durable 1
Time: 1234.567 ms (00:01.235)
storage-acceptance: durable 2
progress: 2.0 s, 600.5 tps, lat 6.1 ms stddev 3.0, 0 failed
PANIC:  could not write
"""
GOOD = "storage-acceptance: recovered 100.50 102.75\nCREATE\nstorage-acceptance: end\n"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_commits_and_their_times_are_read_in_whatever_pieces_they_come(size: int) -> None:
    log = CommitLog()
    for start in range(0, len(PRINTED), size):
        log.feed(PRINTED[start : start + size])
    assert (log.acknowledged_count, log.times, log.rates) == (2, [0.0015, 1.234567], [800.0, 600.5])
    assert log.other_lines == "pgbench (17.6)\nPANIC:  could not write\n"


def test_a_database_that_cannot_be_made_is_told_in_its_own_words() -> None:
    log = CommitLog()
    log.feed(b"storage-acceptance: refused\n")
    assert log.failure == "a new database"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (GOOD, Recovery(seconds=2.25, start_error="", lost_commits=[], damage=[])),
        (
            GOOD.replace("CREATE", "storage-acceptance: lost 7\nstorage-acceptance: unsound pg_amcheck: no heap"),
            Recovery(seconds=2.25, start_error="", lost_commits=[7], damage=["pg_amcheck: no heap"]),
        ),
        (
            "storage-acceptance: broken PANIC:  no checkpoint \nstorage-acceptance: end\n",
            Recovery(seconds=None, start_error="PANIC:  no checkpoint", lost_commits=[], damage=[]),
        ),
        (
            "storage-acceptance: broken\nstorage-acceptance: end\n",
            Recovery(seconds=None, start_error="no reason was printed", lost_commits=[], damage=[]),
        ),
    ],
)
def test_what_a_recovered_database_says_is_read(printed: str, expected: Recovery) -> None:
    assert recovery_in(printed, pod="p") == expected


@pytest.mark.parametrize("printed", ["", GOOD.partition("storage-acceptance: end")[0], "storage-acceptance: end\n"])
def test_a_log_that_is_not_all_there_is_no_pass(printed: str) -> None:
    """Else lines on lost commits could be missing too."""
    with pytest.raises(EnvironmentFailure, match="the log of pod p is incomplete"):
        recovery_in(printed, pod="p")


def test_a_database_with_all_that_it_acknowledged_passes_and_tells_how_fast_it_was() -> None:
    made = judge_postgresql(killed())
    assert made.status == "pass"
    assert made.reason == (
        "PostgreSQL 17.6 on a volume of fast, killed under load on node-1, recovered in 2.1 s with all 1,200 "
        "acknowledged commits; pg_amcheck and pg_checksums found no damage. Before the kill: 812 transactions/s by "
        "pgbench; single commits meanwhile took 1.2 ms (p50) and 4.9 ms (p99)."
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lost": [(7, 7), (1190, 1200)]}, "lacks 12 of the 1,200 commits that it had acknowledged: 7, 1,190 to 1,200"),
        ({"damage": ["pg_checksums: block 3"]}, "is damaged: pg_checksums: block 3."),
        ({"damage": list("abcde")}, "is damaged: a; b; c; and 2 more findings."),
        (
            {"recovered_s": None, "broken": "PANIC: no checkpoint"},
            "did not start again on node-1: PANIC: no checkpoint",
        ),
    ],
)
def test_what_is_lost_damaged_or_broken_fails_for_that_reason(changes: dict[str, Any], said: str) -> None:
    made = judge_postgresql(killed(**changes))
    assert made.status == "fail" and said in made.reason


def test_no_commit_timed_and_no_second_of_pgbench_are_said() -> None:
    made = judge_postgresql(killed(transactions=None, commits_timed=0, commit_p50_s=None, commit_p99_s=None))
    assert made.reason.endswith("Before the kill: no rate by pgbench, and no commit was timed.")


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({}, "pass", "passes (2 of 2 limits pass; postgresql itself: pass)"),
        ({"lost": [(3, 9)]}, "fail", "fails (2 of 2 limits pass; postgresql itself: fail)"),
    ],
)
def test_the_workload_passes_only_where_the_program_itself_does(
    changes: dict[str, Any], status: Status, said: str
) -> None:
    own = judge_postgresql(killed(**changes)).model_copy(update={"subject": "workloads"})
    assert own.status == status
    run = found(*(verdict(metric, "pass") for metric in LIMITS), own)
    assert list(workload_sentences(run)) == [f"for postgresql: fast {said}"]


def test_a_program_that_could_not_begin_on_the_volume_fails_its_workload() -> None:
    """Its verdict is that of a test that raised an error: it has the words of the test as its rule."""
    broke = judge_postgresql(killed()).model_copy(
        update={"subject": "workloads", "status": "fail", "rule": "Killed under pgbench's load, ..."}
    )
    (said,) = workload_sentences(found(*(verdict(metric, "pass") for metric in LIMITS), broke))
    assert said == "for postgresql: fast fails (2 of 2 limits pass; postgresql itself: fail)"


def test_a_program_that_could_not_be_tried_leaves_the_verdict_to_the_limits() -> None:
    skipped = judge_postgresql(killed()).model_copy(
        update={"subject": "workloads", "status": "skipped", "rule": "Killed under pgbench's load, ..."}
    )
    (said,) = workload_sentences(found(*(verdict(metric, "pass") for metric in LIMITS), skipped))
    assert said == "for postgresql: fast passes (2 of 2 limits pass; postgresql itself: skipped)"


def test_the_report_has_a_row_of_it_and_hostile_words_are_escaped() -> None:
    record = killed(lost=[(3, 9)], damage=["<script>alert(1)</script>"])
    run = found().model_copy(update={"postgresql": [record, killed()]})
    html = render_summary(run)
    text = Page(html).text
    assert "PostgreSQL itself, killed under load" in text and "lost 7 commits: 3 to 9" in text
    assert "812/s" in text and "1.2 ms and 4.9 ms" in text and "nothing" in text
    assert "<script>alert" not in html
    assert "PostgreSQL itself" not in Page(render_summary(results())).text


@pytest.mark.full
def test_a_run_plans_it_only_where_it_is_named(planned: Callable[..., tuple[int, str]]) -> None:
    options = (
        "-c",
        "tox.ini",
        "--storage-embedded=no-such-cluster",
        "--storage-class=fast",
        "tests/test_postgresql.py",
    )
    status, output = planned(*options, "--storage-for=postgresql")
    assert status == 0 and "fast: PostgreSQL under load killed and recovered" in output, output
    assert "PostgreSQL was not requested;" in planned(*options, "--storage-for=etcd")[1]
    asked = ("--storage-for=postgresql", "--storage-volume-mode=block")
    assert "PostgreSQL needs a file system, not a raw block volume" in planned(*options, *asked)[1]


def test_an_image_that_cannot_be_pulled_names_its_own_option() -> None:
    told = str(NoPostgresql("image 'p:1' cannot be pulled: no route; name an image that can with --storage-image"))
    assert told.startswith("no PostgreSQL to test: image 'p:1' cannot be pulled: no route; name an image that ")
    assert "--storage-postgresql-image" in told and "--storage-image" not in told


def test_no_volume_is_claimed_where_there_is_no_image(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_image(workspace: Workspace, plan: PodPlan) -> str:
        raise NoPostgresql(f"image {plan.image!r} cannot be pulled")

    monkeypatch.setattr(trial, "version_in", no_image)
    monkeypatch.setattr(trial, "create_claim", lambda *words: pytest.fail("a volume is claimed"))
    nowhere: Any = None
    workspace = Workspace(api=nowhere, run_id="r", namespace="n", image="fio:1", timeout_s=1.0)
    tried = trial.PostgresqlTrial(
        workspace=workspace, storage_class="fast", image="p:1", write_s=1.0, node=None, keep=False, say=print
    )
    with pytest.raises(NoPostgresql, match="image 'p:1' cannot be pulled; name an image"):
        tried.run()


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_an_image_without_postgresql_says_what_it_lacks(shell: list[str], tmp_path: Path) -> None:
    """Whatever this host has: with a PATH of nothing, and packages looked for where there are none."""
    text = script("look.sh").replace("/usr/", f"{tmp_path}/usr/")
    program, *words = shell
    command = [str(shutil.which(program)), *words, "-c", text]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "storage-acceptance: lacks postgres\n")


def test_the_scripts_are_correct_shell() -> None:
    for name in ("look.sh", "commit.sh", "recover.sh"):
        for shell in SHELLS:
            done = subprocess.run([*shell, "-n"], input=script(name), capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), name


def test_a_cluster_remembers_the_image_that_it_was_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that `status` can miss it on a node."""
    monkeypatch.setattr(layout, "STATE_ROOT", tmp_path)
    monkeypatch.setattr(locking, "RUN_ROOT", tmp_path / "run")
    here = layout.Layout("unit-test")
    here.state.mkdir()
    write_state(here, a_state())
    loaded: list[int] = []
    made = postgresql.Image(archive=tmp_path / "p.tar", reference="localhost/storage-acceptance/postgresql:17")
    monkeypatch.setattr(postgresql, "ensure", lambda: made)
    monkeypatch.setattr(images, "load", lambda archive, node, *, snapshotter: loaded.append(node.number))
    monkeypatch.setattr(postgresql.Kubectl, "of", lambda _: SimpleNamespace(run=lambda *_: ""))
    postgresql.offer(here)
    state = read_state(here)
    assert state is not None and loaded == [1]
    assert state.loaded == (LoadedImages(archive=str(made.archive), images=(made.reference,)),)


def test_a_cluster_that_does_not_run_is_offered_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "read_state", lambda layout: None)
    monkeypatch.setattr(images, "load", lambda *words, **named: pytest.fail("nothing is to be loaded"))
    with pytest.raises(EnvironmentFailure, match="does not run; start it"):
        postgresql.offer(postgresql.Layout("none"))


@pytest.mark.parametrize(
    ("changes", "code", "count", "facts"),
    [
        ({}, "recovered", 0, {"version": "17.6", "recovered_s": 2.13, "transactions": 812.4, "commit_p99_s": 0.0049}),
        ({"lost": [(3, 9)], "damage": ["a"]}, "commits_lost", 7, {"lost": [[3, 9]], "damage": ["a"]}),
        ({"damage": ["a"]}, "damaged", None, {"damage": ["a"], "acknowledged": 1200}),
        ({"broken": "PANIC", "recovered_s": None}, "not_started", None, {"broken": "PANIC", "read_on": "node-1"}),
    ],
)
def test_what_became_of_it_is_data(
    changes: dict[str, Any], code: str, count: int | None, facts: dict[str, Any]
) -> None:
    made = judge_postgresql(killed(**changes))
    assert made.outcome is not None and made.outcome.code == f"postgresql.{code}"
    assert {name: made.outcome.facts.get(name) for name in facts} == facts
    assert (made.requirement.operator, made.requirement.bound, made.requirement.unit) == ("at_most", 0.0, "count")
    assert made.measured == count
