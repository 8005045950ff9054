"""Two embedded clusters on one host: neither notices the other's end. Needs root; takes about a minute."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance import embedded

ROOT = Path(__file__).parents[2]
NAMES = ("selftest-a", "selftest-b")

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.full,
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "acceptance.embedded", *arguments]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)


def kubectl(name: str, *arguments: str) -> str:
    folder = Path("/var/lib/storage-acceptance", name)
    words = [str(folder / "bin" / "kubectl"), f"--kubeconfig={folder / 'admin.kubeconfig'}", *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout


@pytest.fixture(scope="module", autouse=True)
def clusters() -> Iterator[None]:
    for name in NAMES:
        command("down", "--name", name)
    for name in NAMES:
        result = command("up", "--name", name, "--nodes", "1")
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


def test_the_end_of_one_leaves_the_other() -> None:
    assert command("down", "--name", NAMES[0]).returncode == 0
    assert embedded.find(NAMES[0]) is None
    assert embedded.find(NAMES[1]) is not None
    status = command("status", "--name", NAMES[1])
    assert status.returncode == 0, status.stdout
    kubectl(NAMES[1], "run", "alive", f"--image={embedded.find(NAMES[1]).image}", "--restart=Never", "--", "true")
    kubectl(NAMES[1], "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/alive", "--timeout=30s")
