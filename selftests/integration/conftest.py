"""The embedded cluster and the lab for all integration tests; what was not running before is not running after."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import NODES
from selftests.integration.remains import Before, look_before, objects_left, on_host, what_stays
from selftests.integration.suite import CLUSTER, CLUSTER_EACH, ROOT, WORKER, left_behind
from selftests.lab.folder import lab_folder_of
from selftests.lab.simulated_nodes import NODE_LABEL

# Workers take whole files: one that takes four minutes must not begin last, when the others have nothing left to do.
LONGEST_FIRST = (
    *("price", "volume_features", "copies_of_volumes", "faults_of_the_api_server", "scaling", "full_volumes"),
    *("shared_volumes", "killed_storage_pods", "bad_provisioning", "rebuild_longhorn", "many_files", "interruption"),
    *("wrong_input", "host", "bad_speed", "pools", "faults_of_pods", "good_storage", "history"),
    *("durability", "least_privilege", "control_plane", "embedded_cluster", "rebuild", "data_integrity"),
    *("faults_of_nodes", "faults_of_the_machine", "other_peoples_data", "in_cluster"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first; what remains is counted when all else is done."""
    places = {f"test_{name}.py": place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(
        key=lambda item: (item.path.name == "test_nothing_remains.py", places.get(item.path.name, len(LONGEST_FIRST)))
    )


# What the session began with; of a worker that shares its cluster with others, its controller knows.
BEFORE = pytest.StashKey[Before]()
# For a cluster to come, whose programs may have to be built, or to go: after the last test no bound of tests holds.
EMBEDDED_S = 1400
SHARES = bool(WORKER) and not CLUSTER_EACH


# They change what all volumes of the CSI driver get wrong, or which class of snapshots is its default.
OF_THE_DRIVER = frozenset(f"test_{name}.py" for name in ("volume_features", "volumes_and_pods", "control_operations"))


class OneWorkerForTheDriver(LoadFileScheduling):
    """As `--dist loadfile`; those files are one, so that they take turns on the cluster that workers share."""

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        return "the CSI driver" if Path(file).name in OF_THE_DRIVER else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> OneWorkerForTheDriver:
    return OneWorkerForTheDriver(config, log)


def pytest_configure(config: pytest.Config) -> None:
    if not SHARES:
        config.stash[BEFORE] = look_before(CLUSTER)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that disrupts a cluster has no place among those that share one."""
    if SHARES and item.get_closest_marker("disrupts"):
        pytest.fail("it disrupts the cluster that workers share: use -m 'not disrupts', or SELFTEST_CLUSTER_EACH=1")


@pytest.fixture(scope="session", autouse=True)
def before_all_tests(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    """What was there before the first test; after the last, and the end of its cluster, nothing of this session is."""
    basetemp = tmp_path_factory.getbasetemp()
    if SHARES:
        yield Before(clusters=frozenset(), objects=frozenset(), unowned=frozenset())
        # A browser's helpers, and what the kernel takes away, may go a moment after the last test.
        assert what_stays(lambda: on_host(set(), folders=[basetemp])) == set()
        return
    before = request.config.stash[BEFORE]
    yield before
    assert end_cluster(before, folders=[basetemp]) == set()


def end_cluster(before: Before, *, folders: Collection[Path] = ()) -> set[str]:
    """End the cluster of these tests, unless it ran before; what they left in it and on this host."""
    left = objects_left(CLUSTER, before)
    if CLUSTER not in before.clusters:
        _embedded("down")
    return left | what_stays(lambda: on_host({CLUSTER} - before.clusters, folders=folders))


@pytest.fixture(scope="session")
def cluster() -> embedded_cluster.EmbeddedCluster:
    """The embedded cluster of these tests; who needs it first starts it.

    Where nodes fail, that is noticed sooner; the others have the CSI driver too. One that runs is taken as it is.
    """
    options = ["--short-timers"] if CLUSTER_EACH else ["--with", "csi"]
    _embedded("up", *([] if embedded_cluster.find(CLUSTER) else options))
    running = embedded_cluster.find(CLUSTER)
    assert running is not None
    return running


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The controller of workers ends what they share, and what interrupted ones left."""
    workers = session.config.getoption("numprocesses", None) or 0
    if WORKER or not workers:
        return
    left: set[str] = set()
    if CLUSTER_EACH:
        for number in range(workers):
            _embedded("down", name=f"{CLUSTER}-gw{number}")
    else:
        left = end_cluster(session.config.stash[BEFORE])
    if left:
        print("left behind by these tests:", *sorted(left), sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _embedded(command: str, *options: str, name: str = CLUSTER) -> None:
    """Raises CalledProcessError, also for an `up` that failed; TimeoutExpired."""
    words = [sys.executable, "-m", "embedded_cluster", command, "--name", name, *options]
    subprocess.run(words, cwd=ROOT, check=True, timeout=EMBEDDED_S)


@pytest.fixture(scope="session")
def api(cluster: embedded_cluster.EmbeddedCluster) -> Api:
    """The cluster's administrator."""
    return Api.from_kubeconfig(cluster.kubeconfig)


@pytest.fixture(scope="module")
def simulation(cluster: embedded_cluster.EmbeddedCluster, api: Api) -> Iterator[Callable[[int], list[str]]]:
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
    """The cluster; after the test nothing of the runs that it started is there."""
    yield api
    assert left_behind(api) == []


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Where the runs of a test report to."""
    return tmp_path / "reports"


@pytest.fixture(scope="module")
def lab_folder(cluster: embedded_cluster.EmbeddedCluster) -> Iterator[Path]:
    """A folder for lab volumes; what the host mounts there, the nodes see."""
    with lab_folder_of(cluster.name) as folder:
        yield folder
