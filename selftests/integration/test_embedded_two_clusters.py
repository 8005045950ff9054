"""Two embedded clusters on one host, the second with short timers: neither notices the other's end. Needs root; takes
about a minute and a half."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

import embedded_cluster

ROOT = Path(__file__).parents[2]
NAMES = ("selftest-a", "selftest-b")

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.release,
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "embedded_cluster", *arguments]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)


def kubectl(name: str, *arguments: str) -> str:
    folder = Path("/var/lib/storage-acceptance", name)
    words = [str(folder / "bin" / "kubectl"), f"--kubeconfig={folder / 'admin.kubeconfig'}", *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=200, check=True).stdout


@pytest.fixture(scope="module", autouse=True)
def clusters() -> Iterator[None]:
    for name in NAMES:
        command("down", "--name", name)
    for name, timers in zip(NAMES, ([], ["--short-timers"]), strict=True):
        result = command("up", "--name", name, "--nodes", "1", *timers)
        assert result.returncode == 0, result.stdout + result.stderr
    yield
    for name in NAMES:
        command("down", "--name", name)


def test_each_has_its_own_nodes_and_network() -> None:
    nodes = [kubectl(name, "get", "nodes", "--output=name").split() for name in NAMES]
    assert nodes == [["node/selftest-a-node-1"], ["node/selftest-b-node-1"]]
    addresses = [
        kubectl(name, "get", "nodes", "--output=jsonpath={.items[0].status.addresses[0].address}") for name in NAMES
    ]
    assert addresses[0] != addresses[1]


def test_credentials_of_one_do_not_open_the_other() -> None:
    servers = [kubectl(name, "config", "view", "--output=jsonpath={.clusters[0].cluster.server}") for name in NAMES]
    folder = Path("/var/lib/storage-acceptance", NAMES[0])
    words = [str(folder / "bin" / "kubectl"), f"--kubeconfig={folder / 'admin.kubeconfig'}", f"--server={servers[1]}"]
    refused = subprocess.run(
        [*words, "--insecure-skip-tls-verify", "get", "nodes"], capture_output=True, text=True, check=False
    )
    assert refused.returncode != 0


def test_short_timers_take_a_silent_node_for_lost_sooner() -> None:
    nodes = [f"{name}-node-1" for name in NAMES]
    leases = [
        kubectl(name, "get", f"lease/{node}", "--namespace=kube-node-lease", "--output=jsonpath={.spec}")
        for name, node in zip(NAMES, nodes, strict=True)
    ]
    assert [json.loads(lease)["leaseDurationSeconds"] for lease in leases] == [40, 12]
    assert ["timers" in command("status", "--name", name).stdout for name in NAMES] == [False, True]
    name, node = NAMES[1], nodes[1]
    embedded_cluster.stop_node(name, node)
    try:
        kubectl(name, "wait", "--for=condition=Ready=Unknown", f"node/{node}", "--timeout=170s")
        lost = kubectl(
            name, "get", f"node/{node}", '--output=jsonpath={.status.conditions[?(@.type=="Ready")].lastTransitionTime}'
        )
        heard = kubectl(
            name, "get", f"lease/{node}", "--namespace=kube-node-lease", "--output=jsonpath={.spec.renewTime}"
        )
    finally:
        embedded_cluster.start_node(name, node)
    silent = datetime.fromisoformat(lost) - datetime.fromisoformat(heard)
    assert silent.total_seconds() < 45  # 15 by these timers, 50 by Kubernetes' own; the API server's own times
    kubectl(name, "wait", "--for=condition=Ready", f"node/{node}", "--timeout=170s")


def test_the_end_of_one_leaves_the_other() -> None:
    assert command("down", "--name", NAMES[0]).returncode == 0
    assert embedded_cluster.find(NAMES[0]) is None
    assert embedded_cluster.find(NAMES[1]) is not None
    status = command("status", "--name", NAMES[1])
    assert status.returncode == 0, status.stdout
    kubectl(
        NAMES[1], "run", "alive", f"--image={embedded_cluster.find(NAMES[1]).image}", "--restart=Never", "--", "true"
    )
    kubectl(NAMES[1], "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/alive", "--timeout=30s")
