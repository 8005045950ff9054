"""`limits suggest`: limits that good runs bear, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acceptance.__main__ import main
from acceptance.limits.file import load_limits
from acceptance.limits.shipped import shipped_folder, shipped_profiles
from acceptance.results.document import Results
from selftests.unit.compared_runs import estimate, judged, measured, run_of
from selftests.unit.made_limits import words_of


def good(number: int, iops: float, **more: Any) -> Results:
    """Intervals of 10 % around the mean."""
    loads = [
        measured({"write.iops": iops, "write.latency.mean": 1 / iops, "stall.longest": 0.1}),
        measured({"write.bandwidth": estimate(2e8, path="write.bandwidth")}, profile="random-write-bandwidth"),
        measured({"read.iops": 5000.0}, profile="order-log"),
    ]
    verdicts = [
        judged(metric="write.iops"),
        judged(metric="write.latency.mean", rule="at_most"),
        judged(metric="stall.longest", rule="at_most"),
        judged(metric="write.bandwidth", profile="random-write-bandwidth"),
    ]
    return run_of(*loads, **({"verdicts": verdicts, "run_id": f"r{number}"} | more))


def kept(folder: Path, *runs: Results) -> list[str]:
    paths = [folder / f"run-{number}.json" for number in range(len(runs))]
    for path, run in zip(paths, runs, strict=True):
        path.write_text(run.model_dump_json(), encoding="utf-8")
    return list(map(str, paths))


def suggest(*arguments: str) -> int:
    return main(["limits", "suggest", *arguments])


def test_the_worst_of_all_runs_less_the_margin(tmp_path: Path) -> None:
    """1,000 IOPS known to a factor of 1.1 are 909 at least; a fifth less is 727, and 1.32 ms for the latency."""
    file = tmp_path / "mine.yaml"
    assert suggest(*kept(tmp_path, good(1, 1500.0), good(2, 1000.0), good(3, 1200.0)), "-o", str(file)) == 0
    found = load_limits(
        file, profiles=shipped_profiles() | {"order-log"}, shipped_path=shipped_folder() / "thresholds.yaml"
    )
    assert [f"{limit.profile}: {words_of(limit)}" for limit in found.tier("suggested").limits] == [
        "order-log: read.iops at least 3,600 IOPS",
        "random-write-bandwidth: write.bandwidth at least 130 MiB/s",
        "sync-write-iops: write.iops at least 720 IOPS",
        "sync-write-iops: write.latency.mean at most 1.4 ms",
    ]
    text = file.read_text(encoding="utf-8")
    assert "r1, r2, r3" in text and "a margin of 20 %" in text and "extends" not in text


def test_of_runs_that_passed_a_shipped_tier_only_what_is_stricter_is_suggested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def shipped(number: int) -> Results:
        run = good(number, 1000.0, texts={})
        assert run.tested_with is not None
        return run.model_copy(update={"tested_with": run.tested_with.model_copy(update={"limits_shipped": True})})

    assert suggest(*kept(tmp_path, *map(shipped, (1, 2, 3))), "--margin", "10%") == 0
    told = capsys.readouterr().out
    assert "extends: builtin/baseline" in told and "write.iops: {at_least: 810," in told
    assert suggest(*kept(tmp_path, *map(shipped, (1, 2, 3))), "--margin", "20%") == 0
    assert "write.iops: {at_least" not in capsys.readouterr().out, "720 is less than baseline asks for"


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (good(2, 1000.0).model_copy(update={"overall": "fail"}), "r2 ended as fail"),
        (good(2, 1000.0).model_copy(update={"overall": "inconclusive"}), "r2 ended as inconclusive"),
        (good(2, 1000.0, complete=False), "r2 did not finish"),
        (good(2, 1000.0, settings={"test_size": 4 << 30}), "expected runs of one load"),
        (good(2, 1000.0, settings={"access_mode": "ReadWriteMany"}), "expected runs of one load"),
        (good(1, 1000.0), "expected each run once, found r1, r1"),
    ],
)
def test_a_run_that_is_not_good_is_refused(
    bad: Results, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert suggest(*kept(tmp_path, good(1, 1000.0), bad)) == 4
    assert told in capsys.readouterr().err


def test_wrong_usage_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run,) = kept(tmp_path, good(1, 1000.0))
    for words, told in (
        (("--margin", "100%"), "expected less than 100%"),
        (("--margin", "x"), "--margin: expected"),
        (("--name", "a b"), "--name: expected letters"),
        (("--class", "slow"), "expected one class that all runs measured (fast), found slow"),
        (("-o", run), "already exists"),
    ):
        assert suggest(run, *words) == 4
        assert told in capsys.readouterr().err
    assert suggest(run) == 0
    assert "expected at least 3 runs, found 1" in capsys.readouterr().err
