"""Snapshots of volumes in use: whatever a copy lacks of one moment is found, and how it is judged, told and shown."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.judging.snapshots import judge_snapshot
from acceptance.report.parts import mark
from acceptance.report.records.snapshots import snapshot_parts
from acceptance.report.summary import render_summary
from acceptance.results.snapshots import SnapshotRecord
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.crashes.acknowledged_records import ranges, record
from acceptance.trials.crashes.writer import script
from acceptance.trials.crashes.writer_log import WriterLog
from acceptance.trials.snapshots import trial
from acceptance.trials.snapshots.order import FileContents, contents_of
from acceptance.trials.snapshots.pace import pace_of
from selftests.unit.read_parts import tables_of
from selftests.unit.snapshot_records import snapshot
from selftests.unit.test_report_crashes import results

TOKEN = "0123456789abcdef"
SIZE = len(record(1, token=TOKEN))
READ = (Path(trial.__file__).parent / "read_files.sh").read_text()
SHELLS = [words for words in (["sh"], ["busybox", "sh"]) if shutil.which(words[0])]
counts = st.integers(min_value=0, max_value=60)
numbers_of_files = st.integers(min_value=1, max_value=5)


def written(count: int, files: int) -> list[bytes]:
    """What the files hold after so many records."""
    return [
        b"".join(record(number, token=TOKEN) for number in range(place, count + 1, files))
        for place in range(1, files + 1)
    ]


def held(files: list[bytes], acknowledged: int) -> FileContents:
    return contents_of(files, token=TOKEN, acknowledged_count=acknowledged)


@given(counts, counts, numbers_of_files, st.integers(min_value=0, max_value=SIZE))
def test_what_was_there_at_any_moment_lacks_nothing(acknowledged: int, more: int, files: int, torn: int) -> None:
    """All records up to some number, and a part of the next: that is what a crash may leave, too."""
    count = acknowledged + more
    content = written(count, files)
    content[count % files] += record(count + 1, token=TOKEN)[:torn]
    found = held(content, acknowledged)
    assert (found.lost_numbers, found.holes) == ([], [])
    assert found.whole == count + (torn == SIZE)


@given(st.data())
def test_a_state_before_the_request_lacks_what_was_acknowledged_since(data: st.DataObject) -> None:
    files, acknowledged = data.draw(numbers_of_files), data.draw(st.integers(min_value=1, max_value=60))
    earlier = data.draw(st.integers(min_value=0, max_value=acknowledged - 1))
    found = held(written(earlier, files), acknowledged)
    assert found.lost_numbers == list(range(earlier + 1, acknowledged + 1))
    assert found.holes == [] and found.whole == earlier


@given(st.data())
def test_files_of_two_moments_have_a_hole(data: st.DataObject) -> None:
    """A copy that took one file earlier than another lacks a record that was durable before a later one was begun."""
    files, acknowledged = data.draw(st.integers(min_value=2, max_value=5)), data.draw(counts)
    early = acknowledged + data.draw(counts)
    late = early + data.draw(st.integers(min_value=files + 1, max_value=20))
    which = data.draw(st.integers(min_value=0, max_value=files - 1))
    content = written(late, files)
    content[which] = written(early, files)[which]
    found = held(content, acknowledged)
    missing = [number for number in range(early + 1, found.last + 1) if (number - 1) % files == which]
    assert found.lost_numbers == [] and found.holes == [number for number in missing if number < found.last] != []


@given(st.data())
def test_a_file_that_is_longer_than_what_it_holds_has_a_hole(data: st.DataObject) -> None:
    """The length of one moment, the content of an earlier one: no record is whole where the later ones were."""
    count, more = data.draw(counts), data.draw(st.integers(min_value=2, max_value=9))
    found = held([written(count, 1)[0] + bytes(more * SIZE)], acknowledged=count)
    assert found.holes == list(range(count + 1, count + more)) and found.last == count + more


@given(st.data())
def test_one_byte_that_changed_is_found(data: st.DataObject) -> None:
    files, count = data.draw(numbers_of_files), data.draw(st.integers(min_value=2, max_value=60))
    number = data.draw(st.integers(min_value=1, max_value=count - 1))
    content = [bytearray(each) for each in written(count, files)]
    row, place = divmod(number - 1, files)
    content[place][row * SIZE + data.draw(st.integers(min_value=0, max_value=SIZE - 1))] ^= 1
    found = held([bytes(each) for each in content], acknowledged=count)
    assert found.lost_numbers == found.holes == [number]


@given(st.data())
def test_volumes_of_two_moments_have_a_hole(data: st.DataObject) -> None:
    """A group whose second volume was taken later than its first, in files that lie on them in turn."""
    volumes = [int(ledger.split("/")[2]) for ledger in trial.ledgers(2)]
    acknowledged = data.draw(counts)
    early = acknowledged + data.draw(counts)
    late = early + data.draw(st.integers(min_value=4, max_value=30))
    earlier = data.draw(st.integers(min_value=1, max_value=2))
    states = {True: written(early, trial.FILES), False: written(late, trial.FILES)}
    found = held([states[of == earlier][place] for place, of in enumerate(volumes)], acknowledged)
    assert found.lost_numbers == [] and found.holes != []
    record = snapshot(volumes=2, acknowledged=acknowledged, holes=ranges(found.holes), last=found.last)
    assert f"(all on volume {earlier} of 2)" in judge_snapshot(record).reason


@pytest.mark.parametrize("volumes", [1, 2])
def test_each_file_is_on_another_volume_than_the_one_before(volumes: int) -> None:
    found = trial.ledgers(volumes)
    assert len(set(found)) == len(found) == trial.FILES
    on = [each.split("/")[2] for each in found]
    assert len(set(on)) == volumes
    assert volumes == 1 or all(before != after for before, after in pairwise(on))


def test_nothing_there_is_all_lost() -> None:
    assert held([b""] * 4, 3) == FileContents(whole=0, last=0, lost_numbers=[1, 2, 3], holes=[])


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_what_the_writer_spreads_over_files_comes_out_of_the_reader(shell: list[str], tmp_path: Path) -> None:
    ledgers = " ".join(f"{tmp_path}/{number}/records" for number in range(1, trial.FILES + 1))
    names = os.environ | {"LEDGER": ledgers, "TOKEN": TOKEN, "MOST": "10", "LIMIT": "100000"}
    until_full, full, _ = script("write_records.sh").rpartition("say full\n")
    assert full  # what comes after it waits for ever
    done = subprocess.run([*shell, "-c", until_full], env=names, stdout=subprocess.PIPE, check=True)
    log = WriterLog()
    log.feed(done.stdout)
    assert log.acknowledged_count == 10
    read = subprocess.run([*shell, "-c", READ], env=names, stdout=subprocess.PIPE, check=True).stdout
    assert trial.printed_files(read) == written(10, trial.FILES)
    (tmp_path / "2" / "records").unlink()
    read = subprocess.run([*shell, "-c", READ], env=names, stdout=subprocess.PIPE, check=True).stdout
    assert trial.printed_files(read)[1] == b""


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    names = os.environ | {"LEDGER": f"{tmp_path}/records", "LIMIT": "100000"}
    done = subprocess.run(["sh", "-c", READ], env=names, capture_output=True, check=False)
    assert done.returncode == 1 and done.stdout.endswith(f"cannot read {tmp_path}/records\n".encode())


@given(st.lists(st.binary(max_size=40), min_size=trial.FILES, max_size=trial.FILES), st.integers(min_value=1))
def test_a_readers_log_that_is_cut_off_is_no_loss_of_the_storage(files: list[bytes], cut: int) -> None:
    log = b"".join(b"storage-acceptance: file %d\n%s\n" % (len(file), file) for file in files)
    assert trial.printed_files(log) == files
    with pytest.raises(EnvironmentFailure, match="is incomplete"):
        trial.printed_files(log[: -(cut % len(log) or 1)])


def test_a_pace_is_of_what_arrived_in_between() -> None:
    arrivals = [(1.0, 10), (2.0, 20), (5.0, 26), (5.5, 30)]
    pace = pace_of("taken", arrivals, begin_s=2.0, end_s=6.0)
    assert pace is not None
    assert (pace.seconds, pace.records, pace.longest_s, pace.rate) == (4.0, 10, 3.0, 2.5)
    still = pace_of("taken", arrivals, begin_s=5.5, end_s=7.5)
    assert still is not None and (still.records, still.longest_s) == (0, 2.0)


def test_a_writer_that_had_written_all_has_no_pace() -> None:
    arrivals = [(1.0, 10), (2.0, 20)]
    last = pace_of("taken", arrivals, begin_s=1.0, end_s=6.0, most=20)
    assert last is not None and (last.seconds, last.records) == (1.0, 10)
    assert pace_of("deleted", arrivals, begin_s=2.0, end_s=6.0, most=20) is None


def test_all_there_is_a_pass_that_tells_the_paces() -> None:
    verdict = judge_snapshot(snapshot())
    assert verdict.status == "pass"
    assert verdict.reason == (
        "a snapshot of class snap, taken while records were written to a volume of fast, holds all 1,000 records that "
        "were acknowledged before it was requested, and 40 more without a gap. Records a second: 200 before the "
        "snapshot, 20 while it was taken (longest pause 0.8 s), 150 while it was restored and read (longest pause "
        "0.2 s), 150 while it was deleted (longest pause 0.1 s)."
    )


def test_what_was_acknowledged_and_is_not_there_is_told_by_number() -> None:
    verdict = judge_snapshot(snapshot(whole=880, last=880, lost=[(881, 1000)]))
    assert verdict.status == "fail"
    assert verdict.reason == (
        "a snapshot of class snap, taken while records were written to a volume of fast, lacks 120 of the 1,000 "
        "records that were acknowledged before it was requested: 881 to 1,000."
    )


def test_a_hole_is_told_with_what_is_behind_it() -> None:
    verdict = judge_snapshot(snapshot(whole=1030, last=1060, holes=[(1021, 1021), (1025, 1025)]))
    assert verdict.status == "fail"
    assert verdict.reason.endswith(
        "is not crash-consistent: it has a part of record 1,060, which was begun after all earlier records were "
        "durable, but these earlier records are incomplete: 1,021, 1,025."
    )


def test_each_is_a_row_and_hostile_words_are_escaped() -> None:
    bad = snapshot(snapshot_class="<script>alert(1)</script>", lost=[(3, 9)], holes=[(3, 9)], paces=[])
    ((good, failed),) = tables_of(*snapshot_parts(results(snapshots=[snapshot(), bad])))
    assert (good["Missing"], good["While taken"]) == ("none", "20/s, pause 0.8 s")
    assert (failed["Missing"], failed["While deleted"]) == (mark("fail", "missing", "3 to 9"), "no record")
    html = render_summary(results(snapshots=[snapshot(), bad]))
    assert "Content of snapshots of volumes in use" in html and "<script>alert" not in html
    assert "Content of snapshots of volumes in use" not in render_summary(results())


def test_a_group_has_a_verdict_and_words_of_its_own() -> None:
    one, group = judge_snapshot(snapshot()), judge_snapshot(snapshot(volumes=2))
    assert one.id != group.id and group.id == "fast/durability/group-snapshot/holds"
    assert group.status == "pass" and "together they hold all" in group.limit
    assert group.reason.startswith(
        "a group snapshot of class snap, taken while records were written alternately to 2 volumes of fast, holds all "
    )


def test_holes_on_both_volumes_of_a_group_are_of_neither() -> None:
    assert "all on volume" not in judge_snapshot(snapshot(volumes=2, holes=[(1001, 1002)])).reason
    assert "all on volume" not in judge_snapshot(snapshot(holes=[(1001, 1001)])).reason


def test_a_record_of_before_groups_is_of_one_volume() -> None:
    older = snapshot().model_dump()
    del older["volumes"]
    assert SnapshotRecord.model_validate(older) == snapshot()
    ((row,),) = tables_of(*snapshot_parts(results(snapshots=[snapshot(volumes=2)])))
    assert row["Volumes"] == "2"


@pytest.mark.parametrize(
    ("changes", "code", "count", "facts"),
    [
        ({}, "crash_consistent", 0, {"volumes": 1, "acknowledged": 1000, "whole": 1040}),
        ({"lost": [(881, 1000)]}, "records_missing", 120, {"lost": [[881, 1000]], "snapshot_class": "snap"}),
        ({"holes": [(1021, 1022)]}, "not_crash_consistent", 2, {"holes": [[1021, 1022]], "last": 1041}),
        (
            {"volumes": 2, "lost": [(3, 9)], "holes": [(3, 9), (1021, 1021)]},
            "records_missing",
            8,
            {"volumes": 2, "holes": [[3, 9], [1021, 1021]]},
        ),
    ],
)
def test_what_a_snapshot_lacks_is_data(changes: dict[str, Any], code: str, count: int, facts: dict[str, Any]) -> None:
    verdict = judge_snapshot(snapshot(**changes))
    assert verdict.outcome is not None and verdict.outcome.code == f"snapshots.{code}"
    assert {name: verdict.outcome.facts.get(name) for name in facts} == facts
    asked = verdict.requirement
    assert (asked.operator, asked.bound, asked.unit) == ("at_most", 0.0, "count")
    assert (verdict.measured, verdict.unit) == (count, "count")
