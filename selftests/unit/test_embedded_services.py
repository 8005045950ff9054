"""Where traffic to services goes: tried in a network namespace that ends with the test, which needs root."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]

PROGRAM = """
import errno, os, signal, socket, subprocess
from embedded_cluster import services
from embedded_cluster.commands import run, succeeds
from embedded_cluster.waiting import NotYet, wait_for

def answer(address, *, within_s):
    with socket.socket() as asking:
        asking.settimeout(within_s)
        return asking.connect_ex((address, 80))

def require_gone():
    if succeeds(["ip", "link", "show", "host-end"]):
        raise NotYet("it is there")

run(["ip", "link", "add", "a-bridge", "type", "bridge"])
run(["ip", "address", "add", "10.1.0.1/20", "dev", "a-bridge"])
run(["ip", "link", "set", "a-bridge", "up"])
holder = subprocess.Popen(services._LIVES_BY)
try:
    station = services._Station(holder.pid)
    wait_for("the namespace", station.require_apart, timeout=200)
    station.join(bridge="a-bridge", link="host-end", address="10.1.0.2/20", cluster_ips="10.1.14.0/23")
    assert answer("10.1.14.1", within_s=200) == answer("10.1.15.250", within_s=200) == errno.ECONNREFUSED
    assert answer("10.1.13.255", within_s=1) in (errno.EHOSTUNREACH, errno.EAGAIN)
    forwarding = "/proc/sys/net/ipv4/ip_forward"
    assert run(station.inside(["cat", forwarding])) == "1\\n"
    assert open(forwarding).read() == "0\\n"
finally:
    holder.kill()
wait_for("the link to go with its other end", require_gone, timeout=200)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_a_station_answers_for_all_cluster_ips_and_goes_with_its_process() -> None:
    """It forwards; the namespace of the bridge does not."""
    command = ["unshare", "--net", sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert done.returncode == 0, done.stderr
