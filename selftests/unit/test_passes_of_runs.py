"""What integration tests take for a pass: also what the machine alone left undecided, and nothing else."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from acceptance.limits.speed import speed_limit
from acceptance.measuring.lasting import slowing
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import plan_for
from acceptance.trials.speed.decisions import judge_limit
from selftests.integration.suite import SuiteRun
from selftests.unit.simulated_load import second

PLAN = plan_for(durable=False, in_turn=False, longest_s=60)
LATE = [100.0] * 50 + [40.0] * 10
"""reads in each second of a minute: fewer in its end"""


def run_of(rates: Sequence[float], folder: Path, *, at_least: float = 10.0) -> SuiteRun:
    """A run with the verdict on a load that did so many reads in each second, and with its record."""
    samples = [[second("read", rate=rate, block_size=4096) for rate in rates]]
    limit = speed_limit("steady", Metric.parse("read.iops"), "at_least", at_least, because="the test wants it so")
    verdict = judge_limit(samples, limit, plan=PLAN, storage_class="local").model_dump(mode="json")
    slow = slowing(samples)
    measurement = {"storage_class": "local", "profile": "steady", "slowed_down_after_s": slow and slow.after_s}
    (folder / "latest").mkdir()
    (folder / "latest" / "results.json").write_text(json.dumps({"verdicts": [verdict], "measurements": [measurement]}))
    status = {"pass": 0, "fail": 1, "inconclusive": 6}[verdict["status"]]
    return SuiteRun(status=status, output=verdict["reason"], folder=folder)


@pytest.mark.parametrize(("rates", "status"), [([100.0] * 60, 0), (LATE, 6)])
def test_a_load_far_above_its_limit_passes_also_where_it_was_slowed_at_its_end(
    rates: Sequence[float], status: int, tmp_path: Path
) -> None:
    run = run_of(rates, tmp_path)
    assert run.status == status, run.output
    run.require_passed(verdicts=1)


@pytest.mark.parametrize(
    ("rates", "at_least"),
    [
        ([100.0] * 6, 60.0),  # too short: the rest is lost
        ([*[150.0] * 4, *[50.0] * 4] * 8, 100.0),  # on both sides
        (LATE, 90.0),  # slowed down, and on both sides
        ([*[100.0] * 12, *[80.0] * 12], 200.0),  # slowed down, too short, and on the bad side
        ([100.0] * 60, 200.0),
    ],
)
def test_no_other_verdict_passes(rates: Sequence[float], at_least: float, tmp_path: Path) -> None:
    run = run_of(rates, tmp_path, at_least=at_least)
    assert run.status in (1, 6), run.output
    with pytest.raises(AssertionError):
        run.require_passed(verdicts=1)


def test_verdicts_are_counted_and_the_exit_status_is_theirs(tmp_path: Path) -> None:
    run = run_of(LATE, tmp_path)
    with pytest.raises(AssertionError):
        run.require_passed(verdicts=2)
    with pytest.raises(AssertionError):
        SuiteRun(status=0, output=run.output, folder=run.folder).require_passed(verdicts=1)
