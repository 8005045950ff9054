"""The file of earlier runs: added to by several writers, read in spite of damage, refused where it is another file."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from acceptance.results import history_file
from acceptance.results.history import AcceptedLevel, KeptMeasurement, KeptMetric, RunRecord
from acceptance.results.history_file import append, history_path, read_history
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from selftests.bounds import HANGS_S

WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from acceptance.results.history_file import append
from selftests.unit.test_history_file import record
for number in range(150):
    append(Path(sys.argv[1]), record(f"{{sys.argv[2]}}-{{number}}"))
"""


def record(run: str = "run-1", *, day: int = 1, values: int = 8) -> RunRecord:
    """A run of one profile; with 8 metrics its line is about a kilobyte."""
    metric = KeptMetric(mean=1000.123456789012, low=990.0, high=1010.0, unit="1/s")
    return RunRecord(
        run=run,
        date=datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day),
        suite_version="0.1.0",
        exit_status=0,
        cluster_kind="kubeconfig",
        cluster="0d1e",
        baseline_class="local-path",
        volume_size=3 * 1024**3,
        test_size=1024**3,
        volume_mode="filesystem",
        measurements=[
            KeptMeasurement(
                profile="sync-write-iops",
                profile_digest="ab",
                storage_class="schnell-\u00fc",
                role="candidate",
                node="node-1",
                metrics={f"write.latency.p{number}": metric for number in range(1, values + 1)},
            )
        ],
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a history is to be."""
    return tmp_path / "history.jsonl"


def test_runs_come_back_as_they_were_in_the_order_of_their_dates(path: Path) -> None:
    second, first = record("b", day=2), record("a", day=1)
    append(path, second)
    append(path, first)
    assert path.read_bytes().count(b"\n") == 2
    assert read_history(path).runs == (first, second)
    assert read_history(path).problems == ()


def test_accepted_levels_come_back_in_the_order_in_which_they_were_accepted(path: Path) -> None:
    levels = [
        AcceptedLevel(accepted=run, date=datetime(2026, 11, 9, tzinfo=UTC), suite_version="0.1.0") for run in "ba"
    ]
    for line in (record("a"), levels[0], record("b"), levels[1]):
        append(path, line)
    found = read_history(path)
    assert found.accepted_levels == tuple(levels)
    assert ([each.run for each in found.runs], found.problems) == (["a", "b"], ())


def test_a_level_of_a_run_that_is_not_there_is_told(path: Path) -> None:
    append(path, record("a"))
    append(path, AcceptedLevel(accepted="gone", date=datetime(2026, 11, 9, tzinfo=UTC), suite_version="0.1.0"))
    (problem,) = read_history(path).problems
    assert "expected the run gone, the first of the level accepted on 2026-11-09, found no line of it" in problem


def test_no_file_yet_is_an_empty_history(path: Path) -> None:
    assert read_history(path).runs == ()
    path.touch()
    assert read_history(path).runs == ()


def test_two_writers_at_once_lose_and_mix_nothing(folder_in_memory: Path) -> None:
    """On no disk: where each line takes long to be durable, one writer may wait for the other for too long."""
    path = folder_in_memory / "history.jsonl"
    program = WRITER.format(root=str(Path(__file__).parents[2]))
    writers = [subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in ("a", "b")]
    assert [writer.wait(timeout=HANGS_S) for writer in writers] == [0, 0]
    found = read_history(path)
    assert found.problems == ()
    assert {run.run for run in found.runs} == {f"{name}-{number}" for name in "ab" for number in range(150)}


def test_a_writer_waits_for_the_one_before_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(path, record())
    monkeypatch.setattr(history_file, "LOCK_TIMEOUT_S", 0.2)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(EnvironmentFailure, match="unlocked by another process"):
            append(path, record("late"))
    append(path, record("later"))
    assert [run.run for run in read_history(path).runs] == ["run-1", "later"]


@pytest.mark.parametrize("kept", [1, 20, 400, -1])
def test_what_a_killed_writer_left_is_passed_over_and_the_next_line_begins_anew(path: Path, kept: int) -> None:
    append(path, record("a"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-1][:kept])  # kept = -1: all but the last brace
    found = read_history(path)
    assert [run.run for run in found.runs] == ["a"]
    assert len(found.problems) == 1
    assert found.problems[0].startswith(f"{path}:2: expected a run as one line of JSON, found ")
    append(path, record("b"))
    after = read_history(path)
    assert [run.run for run in after.runs] == ["a", "b"]
    assert after.problems == found.problems


def test_a_line_that_lacks_only_its_end_is_whole(path: Path) -> None:
    append(path, record("a"))
    path.write_bytes(path.read_bytes()[:-1])
    append(path, record("b"))
    assert [run.run for run in read_history(path).runs] == ["a", "b"]


@pytest.mark.parametrize(
    "damaged",
    [b"\xff\xfe\x00", b"[1, 2]", b"7", b'{"schema_version":1,"run":"x"}', b"[" * 100_000],
    ids=["bytes", "list", "number", "too little", "deep"],
)
def test_a_damaged_line_elsewhere_is_passed_over(path: Path, damaged: bytes) -> None:
    append(path, record("a"))
    path.write_bytes(path.read_bytes() + damaged + b"\n\n")
    append(path, record("b"))
    found = read_history(path)
    assert [run.run for run in found.runs] == ["a", "b"]
    (problem,) = found.problems
    assert problem.startswith(f"{path}:2: expected a run ")


@pytest.mark.parametrize(
    ("field", "value"), [("mean", -1.0), ("mean", "fast"), ("mean", None), ("low", float("inf")), ("unit", "furlongs")]
)
def test_an_impossible_value_is_a_damaged_line(path: Path, field: str, value: object) -> None:
    append(path, record("a"))
    wrong: dict[str, Any] = record("b", values=1).model_dump(mode="json")
    wrong["measurements"][0]["metrics"]["write.latency.p1"][field] = value
    path.write_text(path.read_text() + json.dumps(wrong) + "\n")
    found = read_history(path)
    assert [run.run for run in found.runs] == ["a"]
    assert "found one with measurements.0.metrics.write.latency.p1." + field in found.problems[0]


def test_a_date_without_a_zone_is_a_damaged_line(path: Path) -> None:
    append(path, record("a"))
    wrong = record("b").model_dump(mode="json") | {"date": "2026-11-02T00:00:00"}
    path.write_text(path.read_text() + json.dumps(wrong) + "\n")
    append(path, record("c"))
    found = read_history(path)
    assert [run.run for run in found.runs] == ["a", "c"]
    assert "found one with date: Input should have timezone info; the line is ignored" in found.problems[0]


@pytest.mark.parametrize(("version", "said"), [(2, "version 2, written by suite '9.0'"), (None, "none"), ("1", "'1'")])
def test_another_schema_is_refused(path: Path, version: object, said: str) -> None:
    append(path, record("a"))
    newer = {"schema_version": version, "suite_version": "9.0"}
    path.write_text(path.read_text() + json.dumps(newer) + "\n")
    with pytest.raises(
        WrongUsage, match=re.escape(f"{path}:2: expected a history of schema version 1, found ")
    ) as wrong:
        read_history(path)
    assert said in str(wrong.value)
    assert str(wrong.value).endswith("read it with the suite that wrote it, or name another file")


@pytest.mark.parametrize("text", ["a,b\n1,2\n", '{\n  "schema_version": 1\n}\n', "\0\0"])
def test_a_file_that_is_no_history_is_refused_and_not_written_to(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(WrongUsage, match="expected a history, found a file without any line of one; name another file"):
        read_history(path)


def test_a_first_line_that_was_cut_off_does_not_make_it_another_file(path: Path) -> None:
    append(path, record("a"))
    path.write_bytes(path.read_bytes()[:200])
    assert len(read_history(path).problems) == 1


def test_the_same_run_twice_counts_once(path: Path) -> None:
    append(path, record("a"))
    append(path, record("a"))
    assert len(read_history(path).runs) == 1


def test_a_folder_stands_for_its_history(tmp_path: Path) -> None:
    assert history_path(tmp_path) == tmp_path / "history.jsonl"
    assert history_path(tmp_path / "nights") == tmp_path / "nights"


def test_what_can_be_no_history_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"create the folder {tmp_path}/gone"):
        history_path(tmp_path / "gone" / "history.jsonl")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="which is neither"):
        history_path(tmp_path / "pipe")
    (tmp_path / "folder" / "history.jsonl").mkdir(parents=True)
    with pytest.raises(ValueError, match="which is neither"):
        history_path(tmp_path / "folder")


@pytest.mark.parametrize("length", [0, 10])
def test_where_there_is_no_room_the_history_stays_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    append(path, record("a"))
    before, write = path.read_bytes(), os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:length]))
    with pytest.raises(EnvironmentFailure, match=f"history {path} cannot be written: only {length} of "):
        append(path, record("b"))
    assert path.read_bytes() == before


def test_a_history_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="cannot be written: No such file or directory"):
        append(tmp_path / "gone" / "history.jsonl", record())
    with pytest.raises(WrongUsage, match="expected a history that can be read"):
        read_history(tmp_path)
