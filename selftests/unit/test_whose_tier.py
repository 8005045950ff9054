"""A tier whose limits were changed, however, is never said to be one of the shipped limits."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from acceptance.report.overview import verdict_sentence
from acceptance.results.conditions import TierLimit
from acceptance.results.document import Results
from selftests.pytest_command import PYTEST_MODULE
from selftests.unit.compared_runs import judged, run_of
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
TEN = "version: 1\ntiers:\n  production:\n    extends: builtin/production\n    limits:\n      sync-write-iops: "
TEN += "{write.iops: {at_least: 10}}\n"
OTHER = "version: 1\ntiers:\n  mine:\n    limits:\n      sync-write-iops: {write.iops: {at_least: 10, because: b}}\n"


def run_pytest(*options: str) -> subprocess.CompletedProcess[str]:
    """The suite by its options alone, without those that whoever runs these tests has set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("STORAGE_", "PYTEST_"))}
    return run_module(*PYTEST_MODULE, "-q", *options, folder=ROOT, environment=kept)


def results_of(folder: Path, *options: str) -> dict[str, Any]:
    """What a run on a directory of this host records, of which no test is selected that loads anything."""
    disk = folder / "disk"
    disk.mkdir()
    own = ("-m", "provisioning", "--storage-cluster=host", f"--storage-class={disk}", f"--storage-report={folder}")
    ended = run_pytest(*own, *options)
    path = folder / "latest" / "results.json"
    assert path.exists(), ended.stdout + ended.stderr
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def sentence(found: dict[str, Any]) -> str:
    """As if all had been run and passed."""
    kept = Results.model_validate(found)
    passed = run_of(verdicts=[judged("pass")]).model_copy(
        update={
            "settings": kept.settings | {"storage_class": ["fast"]},
            "tested_with": kept.tested_with,
            "run": kept.run,
            "overall": "pass",
        }
    )
    required = kept.tested_with
    assert required is not None
    one = [TierLimit(profile="sync-write-iops", limit=passed.verdicts[0].limit)]
    tested_with = required.model_copy(update={"required": [], "limits": one})
    return verdict_sentence(passed.model_copy(update={"tested_with": tested_with}))


@pytest.mark.parametrize(
    ("files", "options", "told"),
    [
        ({}, (), "of the shipped limits "),
        ({"mine.yaml": TEN}, ("--storage-thresholds={}/mine.yaml",), "of mine.yaml (not the shipped limits; sha256 "),
        (
            {},
            ("--storage-limit=sync-write-iops.write.iops>=10",),
            "of thresholds.yaml and 1 --storage-limit (not the shipped limits; sha256 ",
        ),
        (
            {"other.yaml": OTHER},
            (f"--storage-thresholds={ROOT / 'thresholds.yaml'}:{{}}/other.yaml",),
            "of thresholds.yaml, other.yaml (not the shipped limits; sha256 ",
        ),
    ],
    ids=["shipped", "extended", "one limit", "several files"],
)
def test_only_the_shipped_limits_as_they_are_are_called_so(
    files: dict[str, str], options: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = results_of(tmp_path, "--storage-tier=production", *(option.format(tmp_path) for option in options))
    assert f"passes tier production {told}" in sentence(found)
    assert found["tested_with"]["limits_shipped"] == (not options)
    least = [limit["limit"] for limit in found["tested_with"]["limits"] if limit["profile"] == "sync-write-iops"]
    assert any("at least 10 IOPS" in each for each in least) == told.startswith(
        ("of mine.yaml", "of thresholds.yaml and")
    )


def test_what_is_wrong_with_these_options_is_told_before_anything_runs(tmp_path: Path) -> None:
    wrong = ("--storage-limit=x>5", "--storage-thresholds=a.yaml:a.yaml", "--storage-load-time=1s")
    ended = run_pytest("--collect-only", *wrong)
    assert ended.returncode == 4
    for each in (
        "--storage-thresholds: expected files of limits, each once",
        "--storage-load time: expected 4 s to 1 h",
    ):
        assert each in ended.stdout + ended.stderr
