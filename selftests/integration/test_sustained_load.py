"""A long load on a disk of this host that is fast at first, and on one that stays so; in its short form."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from acceptance.judging.sustained import CREDITS_S
from selftests.integration.suite import finish, started_suite
from selftests.integration.test_host import HOST, wait_for_load
from selftests.lab.disks import limited_disk

# Synchronous writes of 4 KiB take 32 kbit each: some 240 a second, and a third of that. The limit lies between.
FAST, THIRD, LIMIT = "8M", "2700k", 130
FAST_FOR_S = 30
LIMITS = """version: 1
tiers:
  baseline:
    limits: {sync-write-iops: {write.iops: {at_least: %(limit)s, because: commits wait}}}
    sustained: {sync-write-iops: {write.iops: {at_least: %(limit)s, because: databases commit all day}}}
"""


@pytest.mark.release
@pytest.mark.alone
@pytest.mark.parametrize("lasts", [True, False], ids=["stays-fast", "a-third-after-30-s"])
def test_the_end_of_a_long_load_is_judged(lasts: bool, tmp_path: Path, reports: Path) -> None:
    """Both are fast enough for the limit at first; only the one that stays so passes it at the end.

    A machine that is busy with something else makes neither steady, and then neither is judged.
    """
    (tmp_path / "limits.yaml").write_text(LIMITS % {"limit": LIMIT}, encoding="utf-8")
    options = [
        f"--storage-thresholds={tmp_path / 'limits.yaml'}",
        "--storage-sustained",
        "--storage-sustained-time=2min",
    ]
    with limited_disk(tmp_path / "limited", size="200M") as disk:
        storage = (*HOST, f"--storage-class={disk.folder}", *options, "-m", "sustained")
        with started_suite(*storage, reports=reports) as process:
            wait_for_load(disk.folder)
            disk.limit(FAST)
            time.sleep(FAST_FOR_S)
            if not lasts:
                disk.limit(THIRD)
            run = finish(process, reports=reports)
        assert [each for each in os.listdir(disk.folder) if each != "lost+found"] == []
    verdict = run.verdict("test_speed_is_sustained")
    facts = verdict["outcome"]["facts"]
    assert (facts["asked_s"], facts["judged_s"], facts["credits_s"]) == (120, 60, CREDITS_S), verdict
    (record,) = run.results["sustained"]
    assert (record["asked_s"], record["judged_s"], len(record["rounds"])) == (120, 60, 5)
    if verdict["status"] == "inconclusive":
        assert verdict["outcome"]["code"] == "sustained.unsteady", verdict
        assert run.status == 6, run.output
    else:
        assert verdict["status"] == ("pass" if lasts else "fail"), verdict
        assert run.status == (0 if lasts else 1), run.output
        assert lasts or "slowed_down_after_s" in facts, verdict
    page = (run.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert "Sustained speed" in page and "of the marked 60 s at the end" in page
