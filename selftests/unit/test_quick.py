"""`storage-acceptance quick`: figures in one table, within 90 s."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from acceptance.results.recorder import Recorder
from acceptance.results.run_folder import RunFolder
from fixtures.run import RUN, Run, settle
from selftests.unit.compared_runs import measured
from selftests.unit.docs_pages import ROOT
from selftests.warm_start import run_module
from storage_acceptance.command_line import main
from storage_acceptance.quick import LOADS, OneTable

AT_MOST_S = 90


def told(folder: Path, *words: str) -> str:
    """What the command says in this folder, where it ends well."""
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_"))}
    variables = surroundings | {"PYTHONPATH": str(ROOT)}
    done = run_module("storage_acceptance", "quick", *words, folder=folder, environment=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_planned_within_its_time_by_the_speeds_of_the_embedded_cluster(tmp_path: Path) -> None:
    plan = told(tmp_path, "fast", "--storage-plan", "--storage-embedded-name=no-such")
    times = [int(each[1]) * 60 + int(each[2]) for each in re.finditer(r" (\d):(\d\d)$", plan, re.MULTILINE)]
    assert len(times) == len(LOADS) + 3, plan
    assert sum(times) <= AT_MOST_S


@pytest.mark.full
def test_there_is_one_table_of_what_was_measured(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    output = told(tmp_path, "disk", "--storage-cluster=host", "--storage-test-size=64Mi", "-k", "random-read-latency")
    assert output.count("overall: ") == output.count("SKIPPED") == 0
    table = output.partition("= quick figures =")[2].splitlines()
    assert re.search(r"^ random reads, depth 1 +[\d,.]+ IOPS +[\d.]+ .iB/s +[\d.]+ .?s", table[3]), output
    assert "report: reports/" in output
    results = json.loads((tmp_path / "reports/latest/results.json").read_text())
    assert {verdict["status"] for verdict in results["verdicts"]} == {"skipped"} and results["tier_limits_judged"] == 0
    # As the command ended: figures are all that it promises. No file says more of the storage than that.
    assert (results["overall"], results["run"]["exit_status"]) == ("inconclusive", 0)
    metrics = (tmp_path / "reports/latest/metrics.prom").read_text()
    assert re.search(r"^storage_acceptance_exit_status\{.*\} 0(\.0)?$", metrics, re.MULTILINE)
    (suite,) = ElementTree.parse(tmp_path / "reports/latest/junit.xml").getroot()
    assert [suite.get(name) for name in ("errors", "failures", "skipped")] == ["0", "0", "1"]


@pytest.mark.parametrize(("figures", "status"), [(False, 5), (True, 0)])
def test_the_run_itself_knows_that_figures_are_enough(figures: bool, status: int, tmp_path: Path) -> None:
    """So each of its files has the exit status of the command."""
    recorder = Recorder(run_id="r1", started_at=datetime.now(UTC), settings={}, tier_limits=0)
    recorder.keep(*[measured({"read.iops": 1.0}, profile="random-read-latency")] * figures)
    run = Run(id="r1", folder=RunFolder(tmp_path, run_id="r1"), recorder=recorder)
    config: Any = SimpleNamespace(stash=pytest.Stash())
    config.stash[RUN] = run
    OneTable().pytest_configure(config)
    session: Any = SimpleNamespace(config=config, shouldstop=False)
    settle(session, run, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert (session.exitstatus, run.status) == (status, status)


def test_a_directory_needs_no_cluster(tmp_path: Path) -> None:
    """It is told by its slash: a class may have the name of a folder that happens to be here."""
    (tmp_path / "disk").mkdir()
    for directory in ("./disk", str(tmp_path / "disk"), ".", ".."):
        assert "\nCluster: this host" in told(tmp_path, directory, "--storage-plan")
    assert "\nCluster: this host" not in told(tmp_path, "disk", "--storage-plan", "--storage-embedded-name=no-such")


@pytest.mark.parametrize("command", ["run", "quick", "smoke", "host", "plan"])
def test_help_begins_with_how_it_is_called(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"usage: storage-acceptance {command} ")
