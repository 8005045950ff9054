"""Disks of this host that rest, stand still or slow down: no limit between passes, and each is named for what it is.

What a machine that is busy with something else changes is their speed, and that to the worse: so limits are far from
what could pass, and what is to be named is looked for where the disk was as fast as it can be.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from selftests.integration.suite import SuiteRun, finish, run_suite, started_suite
from selftests.integration.test_host import HOST, wait_for_load
from selftests.lab.disks import StallingDisk, limited_disk, stalling_disk

pytestmark = [pytest.mark.release, pytest.mark.alone]
DURABLE, OTHER = "sync-write-iops", "random-write-latency"
PROFILES = pytest.mark.parametrize("profile", [DURABLE, OTHER])
SIZE = "200M"
# Writes of 4 KiB take 32 kbit each: some 240 a second, and a third of that.
FAST, THIRD = "8M", "2700k"
SUSTAINED = 2_700_000 / 32768
# Each takes so long on a disk that does some 220 a second at most.
WRITE_DELAY = "4ms"
SPEED = ("-m", "data_plane or comparison")


def limits(folder: Path, profile: str, *, at_least: float, stall: str = "10s", compared: bool = False) -> str:
    """The option for a file with limits on one profile: its rate, and how long it may stand still."""
    comparison = f"    comparison: {{{profile}: {{write.iops: {{not_better_than_baseline_by: 20%, because: b}}}}}}\n"
    path = folder / "limits.yaml"
    path.write_text(
        "version: 1\ntiers:\n  baseline:\n"
        f"    limits: {{{profile}: {{write.iops: {{at_least: {at_least:.0f}, because: commits wait}}, "
        f"stall.longest: {{at_most: {stall}, because: leaders step down}}}}}}\n" + (comparison if compared else ""),
        encoding="utf-8",
    )
    return f"--storage-thresholds={path}"


def page_of(run: SuiteRun) -> str:
    return (run.folder / "latest" / "report.html").read_text(encoding="utf-8")


def candidate_of(run: SuiteRun) -> dict[str, Any]:
    (found,) = [measurement for measurement in run.results["measurements"] if measurement["role"] == "candidate"]
    return found


def named(run: SuiteRun, words: str) -> bool:
    """Whether results and report say so of the candidate."""
    in_results = any(words in warning for warning in candidate_of(run)["warnings"])
    assert in_results == (words in page_of(run)), run.output
    return in_results


@contextmanager
def freezing(disk: StallingDisk, *, for_s: float, each_s: float) -> Iterator[None]:
    """It stands still at the end of each `each_s`, for `for_s` of them."""
    over = threading.Event()

    def freeze() -> None:
        while not over.wait(each_s - for_s):
            disk.stop()
            over.wait(for_s)
            disk.go_on()

    thread = threading.Thread(target=freeze, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=60)


def test_a_burst_bucket_is_not_measured_as_speed(tmp_path: Path, reports: Path) -> None:
    """Held to 82 writes a second, with those of 6 s saved while it rests: in turn with another it does far more."""
    with (
        limited_disk(tmp_path / "bucket", size=SIZE, burst_s=6.0, write_delay=WRITE_DELAY) as disk,
        stalling_disk(tmp_path / "local", size=SIZE, write_delay=WRITE_DELAY) as local,
    ):
        option = limits(tmp_path, OTHER, at_least=1.35 * SUSTAINED, compared=True)
        classes = (f"--storage-class={disk.folder}", f"--storage-baseline-class={local.folder}")
        with started_suite(*HOST, *classes, option, *SPEED, "-k", OTHER, reports=reports) as process:
            wait_for_load(disk.folder, profile=OTHER)
            disk.limit(THIRD)
            run = finish(process, reports=reports)
    verdict = run.verdict(f"{OTHER}-write.iops-at_least")
    assert verdict["status"] != "pass", verdict["reason"]
    (beside,) = [measurement for measurement in run.results["measurements"] if measurement["role"] == "baseline"]
    if beside["metrics"]["write.iops"]["mean"] > 1.8 * SUSTAINED:
        assert verdict["measured"] < 1.2 * SUSTAINED
        assert named(run, "is faster after idle time: ") or named(run, "as fast in turn as without a pause"), run.output


@PROFILES
def test_a_disk_that_freezes_for_8_s_in_30_does_not_pass_for_what_it_does_in_between(
    profile: str, tmp_path: Path, reports: Path
) -> None:
    """The limit lies between what it does in all its time and what it does in between; it is 5 s for a stall."""
    with stalling_disk(tmp_path / "freezing", size=SIZE, write_delay=WRITE_DELAY) as disk:
        awake = rate_of(disk, tmp_path, profile, reports=tmp_path / "before")
        option = limits(tmp_path, profile, at_least=0.87 * awake, stall="5s")
        with started_suite(
            *HOST, f"--storage-class={disk.folder}", option, *SPEED, "-k", profile, reports=reports
        ) as process:
            wait_for_load(disk.folder, profile=profile)
            with freezing(disk, for_s=8.0, each_s=30.0):
                run = finish(process, reports=reports)
    assert run.status == 1, run.output
    rate, stall = run.verdict(f"{profile}-write.iops-at_least"), run.verdict("stall.longest")
    in_between = median(each for each in candidate_of(run)["series"]["write.iops"] if each > 0)
    assert rate["status"] != "pass" or in_between > 1.1 * awake, rate["reason"]
    assert (stall["status"], stall["measured"] > 6.0) == ("fail", True), stall["reason"]
    for each in (rate, stall):
        assert "storage stalled for " in each["reason"] or "of load, took " in each["reason"]
    assert "misses the limit of at most 5 s (reason for the limit: leaders step down" in page_of(run)


def rate_of(disk: StallingDisk, folder: Path, profile: str, *, reports: Path) -> float:
    """What the disk does on this machine, now."""
    option = limits(folder, profile, at_least=1)
    chosen = (f"--storage-class={disk.folder}", option, *SPEED, "-k", profile)
    run = run_suite(*HOST, *chosen, reports=reports)
    assert run.status == 0, run.output
    return float(candidate_of(run)["metrics"]["write.iops"]["mean"])


@pytest.mark.parametrize(("profile", "asked"), [(DURABLE, 0.6), (OTHER, 0.4), (OTHER, 0.75)])
def test_a_disk_that_is_a_third_as_fast_after_30_s_passes_no_limit_between(
    asked: float, profile: str, tmp_path: Path, reports: Path
) -> None:
    with limited_disk(tmp_path / "credits", size=SIZE) as disk:
        option = limits(tmp_path, profile, at_least=3 * asked * SUSTAINED)
        with started_suite(
            *HOST, f"--storage-class={disk.folder}", option, *SPEED, "-k", profile, reports=reports
        ) as process:
            wait_for_load(disk.folder, profile=profile)
            disk.limit(FAST)
            time.sleep(30)
            disk.limit(THIRD)
            run = finish(process, reports=reports)
    verdict, measurement = run.verdict(f"{profile}-write.iops-at_least"), candidate_of(run)
    assert verdict["status"] != "pass", verdict["reason"]
    if as_fast_as_it_can_be(measurement):
        assert verdict["status"] == "fail", verdict["reason"]
        assert named(run, "storage slowed down after ")
        assert 24 <= measurement["slowed_down_after_s"] <= 34


def as_fast_as_it_can_be(measurement: dict[str, Any]) -> bool:
    """Whether the first seconds of its load were far above its later rate: no other load held it back."""
    points = measurement["series"]["write.iops"]
    return len(points) > 50 and min(points[5:20]) > 2 * SUSTAINED


@pytest.mark.parametrize(("profile", "after_s"), [(DURABLE, 0.0), (OTHER, 2.0)])
def test_a_sound_disk_that_stands_still_once_passes(
    after_s: float, profile: str, tmp_path: Path, reports: Path
) -> None:
    """For 2.5 s, before the first operation or early on; it may for 10 s. Part of them may be before fio's time."""
    with stalling_disk(tmp_path / "sound", size=SIZE) as disk:
        option = limits(tmp_path, profile, at_least=20)
        with started_suite(
            *HOST, f"--storage-class={disk.folder}", option, *SPEED, "-k", profile, reports=reports
        ) as process:
            wait_for_load(disk.folder, profile=profile)
            time.sleep(after_s)
            disk.stop()
            time.sleep(2.5)
            disk.go_on()
            run = finish(process, reports=reports)
    assert run.status == 0, run.output
    stall = run.verdict("stall.longest")
    assert stall["status"] == "pass" and run.verdict(f"{profile}-write.iops-at_least")["status"] == "pass"
    assert stall["measured"] >= 1.0, stall["reason"]
