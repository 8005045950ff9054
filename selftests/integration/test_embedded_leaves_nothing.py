"""An embedded cluster that is taken down in mid-work leaves this host as it was. Needs root; takes about a minute."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from selftests.integration.busy_pod import use_volumes
from selftests.integration.remains import cluster_names, everything, what_stays
from selftests.integration.suite import ROOT

NAME = "selftest-host"

pytestmark = [pytest.mark.alone, pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root")]


def command(word: str, *options: str) -> None:
    words = [sys.executable, "-m", "embedded_cluster", word, "--name", NAME, *options]
    subprocess.run(words, cwd=ROOT, check=True, timeout=300)


@pytest.fixture
def others() -> Iterator[set[str]]:
    """The clusters that run already; the test's own is gone before it and after it."""
    command("down")
    yield cluster_names()
    command("down")


def test_a_cluster_that_is_taken_down_in_mid_work_leaves_nothing(others: set[str]) -> None:
    """Its pods run and use volumes of each class."""
    before = everything(without=others)
    command("up", "--nodes", "1")
    running = embedded_cluster.find(NAME)
    assert running is not None
    use_volumes(Api.from_kubeconfig(running.kubeconfig), image=running.image)
    assert everything(without=others) - before
    command("down")
    # Links go some time after their network namespaces.
    assert what_stays(lambda: everything(without=others | cluster_names()) - before) == set()
