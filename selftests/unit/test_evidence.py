"""What runs on real storage left in docs/evidence: whole, unchanged, small, and of nobody's machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acceptance.__main__ import main
from acceptance.results.checksums import check
from acceptance.results.file import read_results

ROOT = Path(__file__).parents[2]
RUNS = sorted(path.parent for path in (ROOT / "docs" / "evidence").glob("*/results.json"))
MOST_BYTES = 2_000_000


def test_there_is_evidence() -> None:
    assert [run.name for run in RUNS] == ["longhorn-1.10"]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_results_and_page_are_as_the_run_wrote_them(run: Path) -> None:
    found = check(run)
    assert found.problems == []
    assert found.omitted_files and all(each.startswith("fio/") for each in found.omitted_files)
    assert read_results(run / "results.json").run.complete


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_it_verifies_and_what_it_leaves_out_is_said(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the command that its README names: only what fio printed is not there."""
    omitted, listed = len(check(run).omitted_files), check(run).listed_count
    assert f"report --verify docs/evidence/{run.name}`" in (run.parent / "README.md").read_text(encoding="utf-8")
    assert main(["report", "--verify", str(run)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"omitted, as OMITTED declares: {omitted} files")
    assert f"unchanged: {listed - omitted} of {listed} files" in told[1]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_page_beside_it_tells_how_it_ended_and_what_was_not_real(run: Path) -> None:
    found = read_results(run / "results.json")
    readme = (run.parent / "README.md").read_text(encoding="utf-8")
    passed = sum(verdict.status == "pass" for verdict in found.verdicts)
    assert f"{passed} passed" in readme and found.run.id in readme
    assert found.cluster is not None and found.cluster.stand_ins


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_it_is_small_and_names_no_folder_of_whoever_ran_it(run: Path) -> None:
    files = [path for path in run.iterdir() if path.is_file()]
    assert sum(file.stat().st_size for file in files) < MOST_BYTES
    for file in files:
        assert not re.search(r"/(?:home|root|work|tmp)/\w", file.read_text(encoding="utf-8")), file.name
