"""What the cgroups of the embedded cluster do to the processes in them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from acceptance.process.clock import now_s
from embedded_cluster import cgroups
from selftests.bounds import HANGS_S


@pytest.fixture
def path() -> Iterator[str]:
    name = f"storage-acceptance-selftest/cgroups-{os.getpid()}"
    yield name
    cgroups.remove(name)


@pytest.fixture
def endless() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield process
    process.kill()
    process.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="cgroups are root's")
def test_a_process_has_no_more_cpu_than_its_cgroup_is_limited_to(path: str, endless: subprocess.Popen[bytes]) -> None:
    """A busy machine gives it less, so that this does not depend on how fast the machine is."""
    cgroups.limit_cpu(path, cpus=0.1, pids=[endless.pid])
    usage, begin_s = psutil.Process(endless.pid), now_s()
    used_s = usage.cpu_times().user
    while usage.cpu_times().user - used_s < 0.2:  # that takes two seconds at least
        assert now_s() - begin_s < HANGS_S
    assert now_s() - begin_s > 1


@pytest.mark.skipif(os.geteuid() != 0, reason="cgroups are root's")
def test_a_process_whose_limit_is_taken_back_is_where_it_was(path: str, endless: subprocess.Popen[bytes]) -> None:
    before = Path(f"/proc/{endless.pid}/cgroup").read_text()
    cgroups.limit_cpu(path, cpus=0.1, pids=[endless.pid])
    assert cgroups.members(path) == {endless.pid}
    cgroups.unlimit_cpu(path, like=os.getpid())
    assert Path(f"/proc/{endless.pid}/cgroup").read_text() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="cgroups are root's")
def test_a_process_that_has_ended_is_left_alone(path: str) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    cgroups.limit_cpu(path, cpus=0.1, pids=[process.pid])
    assert cgroups.members(path) == set()
