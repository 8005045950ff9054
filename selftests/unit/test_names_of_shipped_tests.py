"""The tests that come with the suite have the same names wherever it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from selftests.unit.docs_pages import ROOT

PARTS = ("acceptance", "fixtures", "storage_acceptance", "tests", "profiles", "workloads")


def test_they_are_the_same_in_a_virtual_environment_below_the_folder_of_the_run(tmp_path: Path) -> None:
    """As a limit's `requires` names them: else no tier that requires a test could pass."""
    site = tmp_path / "venv/lib/site-packages"
    for part in PARTS:
        shutil.copytree(ROOT / part, site / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "thresholds.yaml", site)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_"))}
    words = ("storage_acceptance", "run", "--storage-class=fast", "--collect-only", "-q", "-p", "no:cacheprovider")
    listed = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=tmp_path,
        env=clean | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    names = [line for line in listed.stdout.splitlines() if "::" in line]
    assert len(names) > 100, listed.stdout + listed.stderr
    assert [name for name in names if not re.match(r"tests/test_\w+\.py::test_\w+", name)] == []
    required = re.findall(r"- (tests/test_\w+\.py::\w+)", (ROOT / "thresholds.yaml").read_text(encoding="utf-8"))
    assert len(required) >= 4 and set(required) <= {name.partition("[")[0] for name in names}
