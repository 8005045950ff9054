"""The suite runs in the folder of any project: whatever its pytest.ini says, and whatever pytest is told of plugins."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from acceptance.results.checksums import check
from selftests.bounds import HANGS_S
from selftests.unit.docs_pages import ROOT
from selftests.warm_start import run_module

RUNS = ("--storage-test-size=64Mi", "-k", "random-read-iops", "--storage-inconclusive=pass", "--storage-partial=pass")
LISTS = ("--collect-only", "-q", "-k", "random-read-iops")
FOUND = "tests/test_further_profiles.py::test_profile_meets_the_limit["


def host(
    folder: Path,
    *words: str,
    command: str = "host",
    environment: Mapping[str, str] | None = None,
    new: bool = False,
) -> subprocess.CompletedProcess[str]:
    """The command on a directory in the folder. `new`: of a new interpreter, which is told of warnings as it starts."""
    (folder / "disk").mkdir()
    place = ["disk"] if command == "host" else ["--storage-cluster=host", "--storage-class=disk"]
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_"))}
    given = variables | {"PYTHONPATH": str(ROOT)} | (environment or {})
    called = ("storage_acceptance", command, *place, *words)
    if not new:
        return run_module(*called, folder=folder, environment=given)
    return subprocess.run(
        [sys.executable, "-m", *called],
        cwd=folder,
        env=given,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )


@pytest.mark.parametrize(
    "ini",
    [
        "python_functions = check_*",
        "python_files = check_*.py",
        "python_classes = Check*",
        "testpaths = src",
        "norecursedirs = tests t* *",
        "filterwarnings = error",
        "addopts = --strict-markers --strict-config --doctest-modules --import-mode=importlib",
    ],
)
def test_the_shipped_tests_are_found_whatever_a_project_calls_its_own(ini: str, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\n{ini}\n", encoding="utf-8")
    listed = host(tmp_path, *LISTS)
    assert listed.returncode == 0, listed.stdout + listed.stderr
    assert len([line for line in listed.stdout.splitlines() if line.startswith(FOUND)]) == 1, listed.stdout


def test_the_tests_of_a_project_keep_the_names_that_it_gives_them(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\npython_functions = check_*\n", encoding="utf-8")
    own = tmp_path / "test_own.py"
    own.write_text("def check_own(storage_class): pass\ndef test_other(storage_class): pass\n", encoding="utf-8")
    listed = host(tmp_path, "test_own.py", "--collect-only", "-q", command="run")
    assert [line.partition("[")[0] for line in listed.stdout.splitlines() if "::" in line] == ["test_own.py::check_own"]


def test_a_listing_of_nothing_says_so(tmp_path: Path) -> None:
    listed = host(tmp_path, "-k", "no_such_test", command="list")
    assert (listed.returncode, listed.stdout) == (5, "")
    assert len(listed.stderr.splitlines()) == 1, listed.stderr


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        ((), {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        (("--disable-plugin-autoload",), {}),
        (("-W", "error"), {}),
        (("-p", "no:capture"), {}),
        (("-p", "no:cacheprovider"), {}),
        ((), {"PYTHONWARNINGS": "error"}),
    ],
)
def test_a_run_has_all_its_reports(words: tuple[str, ...], environment: dict[str, str], tmp_path: Path) -> None:
    ended = host(tmp_path, *RUNS, *words, environment=environment, new=True)
    assert ended.returncode in (0, 1), ended.stdout + ended.stderr  # 1: as slow as this machine may be
    latest = tmp_path / "reports/latest"
    assert json.loads((latest / "results.json").read_text(encoding="utf-8"))["errors"] == []
    assert {"report.html", "junit.xml", "metrics.prom", "SHA256SUMS"} <= {path.name for path in latest.iterdir()}
    found = check(latest)
    assert (found.problems, list(found.unlisted_files)) == ([], ["SHA256SUMS"])


def test_variables_hold_values_that_have_commas(tmp_path: Path) -> None:
    """A label selector has some; several values are parted by spaces, as in an ini file."""
    pods = "storage/app=csi,tier=back storage/app=manager"
    listed = host(tmp_path, *LISTS, environment={"STORAGE_PRICE_OF": pods})
    assert listed.returncode == 0, listed.stdout + listed.stderr
    (tmp_path / "again").mkdir()
    refused = host(tmp_path / "again", *LISTS, environment={"STORAGE_PRICE_OF": "storage/'app"})
    assert refused.returncode == 4 and "STORAGE_PRICE_OF: expected values separated by spaces" in refused.stderr


def test_skipped_tests_take_one_line(tmp_path: Path) -> None:
    """But where each is asked for by pytest's own option."""
    (tmp_path / "one").mkdir()
    ended = host(tmp_path / "one", "-m", "not data_plane")
    assert ended.returncode == 5 and ended.stdout.count("SKIPPED") == 1, ended.stdout
    (tmp_path / "all").mkdir()
    told = [
        line for line in host(tmp_path / "all", "-m", "not data_plane", "-rs").stdout.splitlines() if "SKIPPED" in line
    ]
    assert len([each for each in told if re.match(r"SKIPPED +tests/test_\w+\.py::\w+\[", each)]) > 50
    assert [each for each in told if not re.match(r"SKIPPED +(\[\d+\] )?tests/test_\w+\.py:", each)] == []
