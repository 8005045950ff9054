"""The wheel, with what it asks for from PyPI as pip takes it: needs the network and minutes, and no cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import acceptance
from selftests.integration.suite import ROOT

pytestmark = pytest.mark.release
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "PYTHON"))}
AT_MOST_MB = 240
"""of the environment without pip; 202 MB on 24 November 2026 (docs/command.md)"""


def done(*words: str | Path, folder: Path = ROOT) -> str:
    ended = subprocess.run(
        [str(word) for word in words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_it_runs_with_the_packages_that_it_asks_for_and_no_others(tmp_path: Path) -> None:
    done(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "wheel")
    (wheel,) = (tmp_path / "wheel").iterdir()
    venv.create(tmp_path / "environment", symlinks=True)
    programs = tmp_path / "environment/bin"
    done(sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet", wheel)
    called = programs / "storage-acceptance"
    (tmp_path / "work/disk").mkdir(parents=True)
    assert acceptance.__version__ in done(called, "--version", folder=tmp_path / "work")
    assert "A PVC binds" in done(called, "list", "--storage-class=fast", folder=tmp_path / "work")
    host = ("disk", "--storage-cluster=host", "--storage-test-size=64Mi", "-k", "random-read-latency")
    assert "random reads, depth 1" in done(called, "quick", *host, folder=tmp_path / "work")
    page = (tmp_path / "work/reports/latest/report.html").read_text(encoding="utf-8")
    assert "No charts: matplotlib is not installed" in page and "<figure" not in page
    size = sum(path.lstat().st_size for path in (tmp_path / "environment").rglob("*") if path.is_file())
    print(f"{size / 1e6:.0f} MB")
    assert size < AT_MOST_MB * 1e6
