"""A test of the suite's own that hangs is ended with a dump of its stacks, and what it held is let go of."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from selftests.bounds import HANGS_S

SELFTESTS = Path(__file__).parents[1]
LATE_S = 10
"""more than a process on a busy machine stands still in the midst of something else"""
HANGS = """
import threading
import pytest

@pytest.fixture(scope="session")
def cluster():
    yield
    print("the cluster is taken down")

def test_that_hangs(cluster):
    threading.Event().wait()

def test_after_it(cluster):
    pass
"""


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_one_that_hangs_is_ended_and_all_else_goes_on(tmp_path: Path, workers: list[str]) -> None:
    (tmp_path / "test_own.py").write_text(HANGS)
    words = [f"--config-file={SELFTESTS / 'pytest.ini'}", f"--timeout={LATE_S}", "-rP", *workers, "test_own.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(rf"Timeout \(>{LATE_S}(\.0)?s\) from pytest-timeout", done.stdout)
    assert "threading.Event().wait()" in done.stdout, "no stack tells where"
    assert "the cluster is taken down" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


def test_every_lane_has_a_bound(pytestconfig: pytest.Config) -> None:
    assert (float(pytestconfig.getini("timeout")), pytestconfig.getini("timeout_method")) == (1500, "signal")
    lanes = re.findall(r"\$\(PYTEST\) selftests/(\w+)(.*)", (SELFTESTS.parent / "Makefile").read_text())
    assert [name for name, _ in lanes] == ["unit", *["integration"] * 3, "unit", "integration"]
    bounds = [re.findall(r"--timeout=(\d+)", options) for _, options in lanes]
    assert bounds == [["300"], *[[]] * 3, ["300"], []]
