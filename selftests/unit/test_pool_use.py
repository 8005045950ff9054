"""The used bytes of the pool before and after a run: compared once for each pool, with what was claimed; a warning."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.results.pools import PoolRecord
from acceptance.results.recorder import Recorder
from acceptance.settings.target_file import read_target
from fixtures import pool_use
from fixtures.pool_use import most_afterwards, watch_pools
from fixtures.run import Run
from fixtures.target import TARGET
from selftests.unit.test_recorder import recorder

MIB = 1024**2
CLAIMED = 4000 * MIB


class PooledRun:
    """A run of two classes whose pool has as many bytes used as the file `used` says."""

    def __init__(self, folder: Path, *, used: str = "cat {used}") -> None:
        self.used, target = folder / "used", folder / "target.yaml"
        target.write_text(f"pool: {{used: [{', '.join(used.format(used=self.used).split())}]}}\n")
        self.recorder: Recorder = recorder()
        for name in ("fast", "fast-too"):
            self.recorder.keep(PoolRecord(storage_class=name, claimed=CLAIMED, free=None, description="2 GiB"))
        self.config: Any = SimpleNamespace(stash={TARGET: read_target(target)})
        self.reached_end = True

    def telling(self, part: str) -> Any:
        return Run.telling(cast(Run, self), part)

    def compare(self, before: int, after: int) -> list[PoolRecord]:
        settings: Any = SimpleNamespace(embedded_name="none", timeout=1.0)
        self.used.write_text(str(before * MIB))
        compare = watch_pools(self.config, cast(Run, self), settings, kind="kubeconfig")
        self.used.write_text(str(after * MIB))
        compare()
        return self.recorder.of(PoolRecord)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_use, "RECLAIMED_WITHIN_S", 0.2)


@pytest.mark.parametrize(("after", "warns"), [(100, False), (500, False), (501, True)])
def test_more_than_a_tenth_of_what_was_claimed_is_a_warning(after: int, warns: bool, tmp_path: Path) -> None:
    run = PooledRun(tmp_path)
    records = run.compare(100, after)
    assert [(record.used_before, record.used_after) for record in records] == [(100 * MIB, after * MIB)] * 2
    assert len(run.recorder.warnings) == warns and run.recorder.errors == []
    if warns:
        assert "fast, fast-too had 100 MiB used before the run and 501 MiB after it" in run.recorder.warnings[0]
        assert records[0].description.endswith("100 MiB used before the run and 501 MiB after it")


def test_small_runs_may_leave_what_a_pool_records_of_them() -> None:
    assert most_afterwards(0, claimed=0) == 64 * MIB
    assert most_afterwards(10, claimed=10 * 1024 * MIB) == 10 + 1024 * MIB


def test_a_command_that_fails_is_a_warning_and_nothing_is_compared(tmp_path: Path) -> None:
    run = PooledRun(tmp_path, used="cat {used}-nowhere")
    records = run.compare(100, 100)
    assert [record.used_after for record in records] == [None, None]
    (warning,) = run.recorder.warnings
    assert "not compared" in warning and "please report this" not in warning


def test_an_interrupted_run_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("it was waited for")

    run = PooledRun(tmp_path)
    run.reached_end = False
    monkeypatch.setattr(pool_use, "wait_until", fail)
    assert run.compare(100, 5000)[0].used_after == 5000 * MIB
    assert len(run.recorder.warnings) == 1
