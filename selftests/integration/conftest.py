"""The embedded cluster and the lab for all integration tests; what was not running before is not running after."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acceptance import embedded
from acceptance.cluster.api import Api
from acceptance.cluster.resources import NODES
from selftests.integration.remains import Before, look_before, on_host
from selftests.integration.suite import CLUSTER, ROOT, left_behind
from selftests.lab.simulated_nodes import NODE_LABEL


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What remains is counted when all else is done."""
    items.sort(key=lambda item: item.path.name == "test_nothing_remains.py")


@pytest.fixture(scope="session", autouse=True)
def before_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    """What was there before the first test; after the last, and the end of its cluster, nothing of this session is."""
    before = look_before(CLUSTER)
    yield before
    left = on_host({CLUSTER} - before.clusters, folders=[tmp_path_factory.getbasetemp()])
    assert left == set()


@pytest.fixture(scope="session")
def cluster() -> Iterator[embedded.EmbeddedCluster]:
    """The embedded cluster of these tests."""
    ran_before = embedded.find(CLUSTER) is not None
    _embedded("up")
    running = embedded.find(CLUSTER)
    assert running is not None
    yield running
    if not ran_before:
        _embedded("down")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """An interrupted session ends its workers, who then leave their clusters behind."""
    for number in range(session.config.getoption("numprocesses") or 0):
        _embedded("down", name=f"{CLUSTER}-gw{number}")


def _embedded(command: str, *options: str, name: str = CLUSTER) -> None:
    words = [sys.executable, "-m", "acceptance.embedded", command, "--name", name, *options]
    subprocess.run(words, cwd=ROOT, check=True)


@pytest.fixture(scope="session")
def api(cluster: embedded.EmbeddedCluster) -> Api:
    """The cluster's administrator."""
    return Api.from_kubeconfig(cluster.kubeconfig)


@pytest.fixture(scope="module")
def simulation(cluster: embedded.EmbeddedCluster, api: Api) -> Iterator[Callable[[int], list[str]]]:
    """Has so many simulated nodes on the cluster and gives their names; as many as before when the module ends."""

    def nodes() -> list[str]:
        return [node["metadata"]["name"] for node in api.list(NODES, labels=NODE_LABEL)]

    def have(count: int) -> list[str]:
        _embedded("up", f"--simulated-nodes={count}")
        return nodes()

    before = len(nodes())
    yield have
    have(before)


@pytest.fixture
def simulated_nodes(simulation: Callable[[int], list[str]]) -> list[str]:
    """The names of four simulated nodes, all Ready; one that a test before has removed is there again."""
    return simulation(4)


@pytest.fixture
def clean(api: Api) -> Iterator[Api]:
    """Nothing of any run is in the cluster before the test, and nothing after it."""
    assert left_behind(api) == []
    yield api
    assert left_behind(api) == []


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Where the runs of a test report to."""
    return tmp_path / "reports"


@pytest.fixture(scope="module")
def lab_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for lab volumes that pods may enter."""
    folder = tmp_path_factory.mktemp("lab")
    for each in (folder, *folder.parents):
        if each.stat().st_mode & 0o005 != 0o005 and each != Path("/"):
            each.chmod(each.stat().st_mode | 0o055)
    return folder
