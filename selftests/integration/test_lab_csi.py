"""The lab's own CSI driver, on this host's kernel: csi-sanity finds nothing, its own tests pass, nothing is left."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.waiting import wait_for
from embedded_cluster import golang
from embedded_cluster.csi import driver
from embedded_cluster.go_modules import environment
from selftests.bounds import HANGS_S
from selftests.lab.csi_driver import CsiDriver, csi_driver, sanity

PASSED = re.compile(r"SUCCESS! -- (\d+) Passed \| 0 Failed")
LEAST = 70
"""tests of csi-sanity that this driver has the capabilities for: 73 in v5.6.0, and 8 that modify volumes"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[CsiDriver]:
    with csi_driver(tmp_path) as found:
        yield found
    # A cluster that is started meanwhile has a copy of each mount, and lets it go when it comes to it.
    wait_for("nothing to be left", look=found.left, ready=lambda seen: not seen, state=str, timeout_s=HANGS_S)


@pytest.mark.parametrize("access", ["mount", pytest.param("block", marks=pytest.mark.full)])
def test_csi_sanity_finds_nothing(served: CsiDriver, access: str) -> None:
    done = sanity(served, f"--csi.testvolumeaccesstype={access}")
    assert done.returncode == 0, done.stdout
    passed = PASSED.search(done.stdout)
    assert passed and int(passed[1]) >= LEAST, done.stdout


def test_csi_sanity_finds_a_driver_that_never_expands(served: CsiDriver) -> None:
    served.have_faults("never-grows")
    done = sanity(served, "--ginkgo.focus=ExpandVolume")
    assert done.returncode == 1 and "[FAIL] ExpandVolume [Controller Server] [It] should work" in done.stdout, (
        done.stdout
    )


def said_by_failed(output: str) -> list[str]:
    """The names of the tests that failed, and what each test says, which is indented; not the hundreds that passed."""
    return [line for line in output.splitlines() if "--- FAIL" in line or line.startswith("    ")]


def test_the_drivers_own_tests_pass() -> None:
    """Also those of each fault, and of a driver that is killed: they need root, and none may be skipped."""
    go = golang.find_go(minimum=golang.required_version(driver.SOURCE))
    words = [go, "test", "-count=1", "-v", "./..."]
    done = subprocess.run(
        words, cwd=driver.SOURCE, env=environment(), capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, "\n".join(said_by_failed(done.stdout)) or done.stdout + done.stderr
    assert "--- PASS" in done.stdout and "--- SKIP" not in done.stdout, done.stdout
