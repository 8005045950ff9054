"""What the cgroups of the embedded cluster do to the processes in them."""

import os
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from acceptance.process.clock import now_s
from embedded_cluster import cgroups
from selftests.bounds import HANGS_S

LIMITS = {"cpu.cfs_quota_us": "-1", "cpu.max": "max"}
"""where the kernel has a limit, and what stands there without one"""
ENDLESS = [sys.executable, "-c", "while True: pass"]


@pytest.fixture
def path() -> Iterator[str]:
    name = f"storage-acceptance-selftest/cgroups-{os.getpid()}"
    yield name
    cgroups.remove(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="cgroups are root's")
def test_a_process_has_no_more_cpu_than_its_cgroup_is_limited_to(path: str) -> None:
    """A busy machine gives it less, so that this does not depend on how fast the machine is."""
    cgroups.limit_cpu(path, cpus=0.1)
    process = subprocess.Popen(ENDLESS)
    try:
        cgroups.enter_limited(path, process.pid)
        usage, begin_s = psutil.Process(process.pid), now_s()
        used_s = usage.cpu_times().user
        while usage.cpu_times().user - used_s < 0.2:  # that takes two seconds at least
            assert now_s() - begin_s < HANGS_S
        assert now_s() - begin_s > 1
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="cgroups are root's")
def test_a_limit_is_taken_back(path: str) -> None:
    cgroups.limit_cpu(path, cpus=0.1)
    limits = [limit for folder in cgroups.remaining(path) for limit in folder.glob("cpu.*") if limit.name in LIMITS]
    limited = [limit.read_text() for limit in limits]
    cgroups.limit_cpu(path, cpus=None)
    assert [limit.read_text().split()[0] for limit in limits] == [LIMITS[limit.name] for limit in limits]
    assert all(text.split()[0] == "10000" for text in limited) and limits


@pytest.mark.skipif(os.geteuid() != 0, reason="cgroups are root's")
def test_a_process_that_has_ended_is_left_alone(path: str) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    cgroups.limit_cpu(path, cpus=0.1)
    cgroups.enter_limited(path, process.pid)
    assert cgroups.members(path) == set()
