"""A test of the suite's own that hangs is ended with a dump of its stacks, and what it held is let go of."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S, RUN_HANGS_S

SELFTESTS = Path(__file__).parents[1]
TIME_OUT_S = 3600
# It says when it hangs: then it is told that its time is over, as the timer that is set would tell it. Were that short,
# a process that a busy machine lets stand still would hear it at any other time, too.
HANGS = """
import os
import signal
import threading
from pathlib import Path
import pytest

@pytest.fixture(scope="session")
def cluster():
    yield
    print("the cluster is taken down")

def test_that_hangs(cluster):
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= TIME_OUT_S
    Path("hangs").write_text(f"{os.getpid()}\\n") and threading.Event().wait()

def test_after_it(cluster):
    pass
"""


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_one_that_hangs_is_ended_and_all_else_goes_on(tmp_path: Path, workers: list[str]) -> None:
    (tmp_path / "test_own.py").write_text(HANGS.replace("TIME_OUT_S", str(TIME_OUT_S)))
    words = [f"--config-file={SELFTESTS / 'pytest.ini'}", f"--timeout={TIME_OUT_S}", "-rP", *workers, "test_own.py"]
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        try:
            process = wait_for(
                "the test to hang",
                look=lambda: (tmp_path / "hangs").read_text() if (tmp_path / "hangs").exists() else "",
                ready=lambda seen: seen.endswith("\n"),
                state=repr,
                timeout_s=HANGS_S,
            )
            os.kill(int(process), signal.SIGALRM)
            printed, _ = running.communicate(timeout=HANGS_S)
        finally:
            running.kill()
    assert running.returncode == 1, printed
    assert re.search(rf"Timeout \(>{TIME_OUT_S}(\.0)?s\) from pytest-timeout", printed)
    assert "threading.Event().wait()" in printed, "no stack tells where"
    assert "the cluster is taken down" in printed
    assert "1 failed, 1 passed" in printed


def test_every_lane_has_a_bound(pytestconfig: pytest.Config) -> None:
    assert (float(pytestconfig.getini("timeout")), pytestconfig.getini("timeout_method")) == (1500, "signal")
    assert max(HANGS_S, RUN_HANGS_S) < 1500, "what hangs is told by the test that waits for it, before its own bound"
    lanes = re.findall(r"\$\(PYTEST\) selftests/(\w+)(.*)", (SELFTESTS.parent / "Makefile").read_text())
    assert [name for name, _ in lanes] == ["unit", *["integration"] * 3, "unit", "integration"]
    assert [name for name, options in lanes if "timeout" in options] == [], "a lane with a bound of its own"
