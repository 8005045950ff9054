"""A run beside its earlier ones, through the suite's own command line: a regression is caught, noise is not.

The load is held to a rate by fio itself, so that the machine's own noise decides nothing here. Earlier nights are a
real run's line of the history, with its values scaled; one disk has really become slow.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from selftests.integration.suite import SuiteRun, run_suite
from selftests.lab.disks import memory_disk, nbdkit_disk

# So long that a last second in which a busy machine lets fio do nothing is far less than the allowed 10 %: what is late
# before it, fio makes up for.
HOST = ("--storage-cluster", "host", "-k", "regression", "--storage-load-time=24s")
RATE = 50  # writes a second
# What one class did before it fell, in that rate: so much that a busy machine, on which fio makes up in the measured
# time for what came too late before it, does not lift the class back to where a fall is allowed.
BEFORE = 1.6
UNSTEADY = 3.0  # by what factor a night's own interval reaches up and down
PROFILE = """\
# Steady writes, far below what any disk can take.
[steady]
filename=${FILE}
size=${SIZE}
runtime=${RUNTIME}
time_based
direct=1
ioengine=psync
rw=randwrite
bs=4k
rate_iops=@RATE@
"""
LIMITS = """\
version: 1
tiers:
  baseline:
    history:
      limits:
        steady:
          write.iops: {not_worse_by: 10%, because: the test wants it so}
"""
ROOT = Path(__file__).parents[2]
NIGHTS = 15  # a fortnight for the level, and one more, in which two classes have fallen already


@dataclass(frozen=True, kw_only=True)
class Lab:
    """Three disks, a folder for the history, and the options that all runs have.

    They are in memory: what others write to the disk of this machine makes none slow. `slow` needs 80 ms for a write:
    12 a second of the 50 that are asked for.
    """

    folder: Path
    steady: Path
    fallen: Path
    slow: Path

    @property
    def history(self) -> Path:
        """The file that the folder stands for."""
        return self.folder / "nights" / "history.jsonl"

    def run(self, *options: str, history: Path | None = None) -> SuiteRun:
        """A run of the suite that looks at the history."""
        files = (f"--storage-thresholds={self.folder / 'limits.yaml'}", f"--storage-profiles={self.folder / 'loads'}")
        history = history or self.history.parent
        return run_suite(*HOST, *files, f"--storage-history={history}", *options, reports=self.folder / "reports")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Directories of this host as StorageClasses, and a profile with a limit on what it may lose."""
    folder = tmp_path_factory.mktemp("history")
    for name in ("nights", "loads"):
        (folder / name).mkdir()
    (folder / "loads" / "steady.fio").write_text(PROFILE.replace("@RATE@", str(RATE)))
    (folder / "limits.yaml").write_text(LIMITS)
    delays = {"steady": 0, "fallen": 0, "slow": 80}
    with ExitStack() as undo:
        disks = {
            name: undo.enter_context(
                nbdkit_disk(folder / name, filters=["delay"], parameters=[f"wdelay={delay}ms"], size="256M")
            )
            for name, delay in delays.items()
        }
        yield Lab(folder=folder, **disks)


@pytest.fixture(scope="module")
def first(lab: Lab) -> SuiteRun:
    """The first run: there is no history yet."""
    return lab.run(f"--storage-class={lab.steady}")


@pytest.fixture(scope="module")
def judged(lab: Lab, first: SuiteRun) -> SuiteRun:
    """A run after fifteen nights: one directory as before, two below what they did for two; one writer was killed."""
    real = json.loads(lab.history.read_text())
    nights = [night(real, number, lab=lab) for number in range(NIGHTS)]
    lines = "".join(json.dumps(each) + "\n" for each in nights)
    lab.history.write_text(lines + lines[:300])
    return lab.run(*(f"--storage-class={each}" for each in (lab.steady, lab.fallen, lab.slow)))


def night(real: dict[str, Any], number: int, *, lab: Lab) -> dict[str, Any]:
    """The real run as if it had been `number` nights after the first, with noise of 1 % from night to night.

    What the machine did in the one real run is in none of them: on a good night a class takes the rate of the load.
    """
    made = deepcopy(real)
    made["run"] = f"night-{number}"
    made["date"] = (datetime.fromisoformat(real["date"]) - timedelta(days=NIGHTS - number)).isoformat()
    (measured,) = real["measurements"]
    source = random.Random(number)
    before = BEFORE if number < NIGHTS - 1 else 1.0
    slow = 1.0 if number < NIGHTS - 1 else 0.25
    made["measurements"] = [
        on_a_night(measured | {"storage_class": str(lab.steady)}, RATE * source.gauss(1.0, 0.01)),
        on_a_night(measured | {"storage_class": str(lab.fallen)}, RATE * source.gauss(1.0, 0.01) * before),
        on_a_night(measured | {"storage_class": str(lab.slow)}, RATE * source.gauss(1.0, 0.01) * slow),
    ]
    return made


def on_a_night(measurement: dict[str, Any], rate: float) -> dict[str, Any]:
    """The measurement as if it had been `rate` writes a second, more unsteady in itself than a busy machine makes one.

    So the judged run, also one of which fio did nothing for seconds, has no noise in itself that the nights had not: it
    would widen what is taken for noise, and a fall of a third would be none.
    """
    made = deepcopy(measurement)
    made["metrics"]["write.iops"] |= {"mean": rate, "low": rate / UNSTEADY, "high": rate * UNSTEADY}
    return made


def night_before(run: SuiteRun) -> str:
    """The day of the last of the nights that were made."""
    last = (trend["points"][-1] for trend in run.results["trends"])
    return next(str(each["date"])[:10] for each in last if each["run"] == f"night-{NIGHTS - 1}")


@pytest.mark.full
def test_the_first_night_has_nothing_to_be_compared_with_and_begins_the_history(lab: Lab, first: SuiteRun) -> None:
    assert first.status == 5, first.output
    verdict = first.verdict("class_is_no_slower_than_before")
    assert verdict["status"] == "skipped"
    assert verdict["outcome"]["code"] == "history.too_few_runs"
    assert verdict["outcome"]["facts"]["earlier"] == 0 and verdict["requirement"]["at"]["runs"] == 14
    assert first.results["trends"][0]["points"] == []
    assert os.listdir(lab.steady) == ["lost+found"]


def test_a_regression_is_caught_and_noise_is_not(lab: Lab, judged: SuiteRun) -> None:
    assert judged.status == 1, judged.output
    by_class = {verdict["storage_class"]: verdict for verdict in judged.results["verdicts"]}
    assert by_class[str(lab.steady)]["status"] == "pass", by_class
    fallen = by_class[str(lab.fallen)]
    assert fallen["status"] == "fail", fallen
    assert fallen["measured"] == pytest.approx(1 / BEFORE, abs=0.15)
    assert "(reason for the limit: the test wants it so)" in fallen["reason"]
    assert f"since {night_before(judged)} (run night-{NIGHTS - 1}) about " in fallen["reason"]
    assert "worse than the allowed 10 % and beyond noise, and has not recovered" in fallen["reason"]


def test_a_disk_that_has_become_slow_fails(lab: Lab, judged: SuiteRun) -> None:
    (verdict,) = (each for each in judged.results["verdicts"] if each["storage_class"] == str(lab.slow))
    assert verdict["status"] == "fail", verdict
    assert verdict["measured"] < 0.5
    assert " lower than the " in verdict["reason"]


def test_the_report_has_the_trend_of_each(lab: Lab, judged: SuiteRun) -> None:
    trends = {each["storage_class"]: each for each in judged.results["trends"]}
    assert {name: trend["status"] for name, trend in trends.items()} == {
        str(lab.steady): "pass",
        str(lab.fallen): "fail",
        str(lab.slow): "fail",
    }
    trend = trends[str(lab.fallen)]
    assert [point["run"] for point in trend["points"]] == [f"night-{number}" for number in range(NIGHTS)]
    assert trend["this_run"]["run"] == judged.results["run"]["id"]
    assert trend["this_run"]["mean"] < trend["expected_low"] < trend["typical"] < trend["expected_high"]


def test_a_line_that_was_cut_off_is_told_and_the_run_added_after_it(lab: Lab, judged: SuiteRun) -> None:
    found = "found 300 bytes that are not; the line is ignored"
    damage = f"{lab.history}:{NIGHTS + 1}: expected a run as one line of JSON, {found}"
    assert damage in judged.results["warnings"]
    assert damage in judged.output
    *_, cut, last = lab.history.read_text().splitlines()
    assert len(cut) == 300
    added = json.loads(last)
    assert (added["run"], added["exit_status"]) == (judged.results["run"]["id"], 1)
    assert {measurement["storage_class"] for measurement in added["measurements"]} == {
        str(each) for each in (lab.steady, lab.fallen, lab.slow)
    }


@pytest.mark.full
def test_a_level_that_is_accepted_is_what_the_next_run_is_held_to(lab: Lab, judged: SuiteRun, tmp_path: Path) -> None:
    copy = tmp_path / "history.jsonl"
    copy.write_bytes(lab.history.read_bytes())
    words = ["accept-level", str(copy), "--run", f"night-{NIGHTS - 1}", "--storage-class", str(lab.fallen)]
    subprocess.run([sys.executable, "-m", "acceptance", *words], check=True, cwd=ROOT)
    run = lab.run(f"--storage-class={lab.fallen}", history=copy)
    verdict = run.verdict("class_is_no_slower_than_before")
    assert verdict["status"] == "skipped", verdict
    assert f"has 2 of the same kind since a level was accepted ({NIGHTS - 1} before it)" in verdict["reason"]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder where nothing more can be written, with a history that has no run yet."""
    with memory_disk(tmp_path / "full", size="64k") as folder:
        (folder / "history.jsonl").touch()
        with pytest.raises(OSError, match="No space left"), (folder / "other").open("wb", buffering=0) as other:
            while True:
                other.write(bytes(4096))
        yield folder


def test_where_the_history_cannot_be_written_the_verdict_stands_and_a_warning_says_so(
    lab: Lab, full_disk: Path
) -> None:
    run = lab.run(f"--storage-class={lab.steady}", history=full_disk)
    assert run.status == 5, run.output
    (warning,) = [each for each in run.results["warnings"] if each.startswith("history ")]
    assert warning == (
        f"history {full_disk}/history.jsonl cannot be written: No space left on device; it does not contain "
        "this run, and later runs will not be compared with this run"
    )
    assert "WARNING      history " in run.output
    assert (full_disk / "history.jsonl").read_bytes() == b""


def test_a_history_of_another_schema_is_wrong_usage_and_nothing_is_made(lab: Lab, tmp_path: Path) -> None:
    newer = tmp_path / "newer.jsonl"
    newer.write_text('{"schema_version": 2, "suite_version": "7.0"}\n')
    made = set((lab.folder / "reports").iterdir()) if (lab.folder / "reports").exists() else set()
    run = lab.run(f"--storage-class={lab.steady}", history=newer)
    assert run.status == 4, run.output
    assert f"{newer}:1: expected a history of schema version 1, found version 2, written by suite '7.0'" in run.output
    assert (set((lab.folder / "reports").iterdir()) if made else set()) == made
    assert newer.read_text() == '{"schema_version": 2, "suite_version": "7.0"}\n'
