"""Faults of Longhorn itself before a rebuild and in the midst of one, each seen by the suite for what it is.

Needs root; takes about half an hour once all is built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.longhorn_resources import LONGHORN_NODES, REPLICAS
from acceptance.trials.rebuild.longhorn_api import REBUILD_LIMIT
from acceptance.trials.rebuild.longhorn_objects import LonghornView
from embedded_cluster.longhorn.part import NAMESPACE
from selftests.integration.longhorn_cluster import RUN_S, longhorn_cluster, options_here, said_in
from selftests.integration.longhorn_volumes import (
    is_rebuilding,
    rebuilt_one,
    setting,
    taking_no_replicas,
    wait_before_trigger,
    wait_until,
)
from selftests.integration.own_cluster import OwnCluster
from selftests.integration.rebuilds import REBUILD, limits
from selftests.integration.suite import SuiteRun, finish, started_suite
from selftests.lab.longhorn_parts import INSTANCE_MANAGER, MANAGER, Part, engine_of, kill, replica_of

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.release,
    pytest.mark.timeout(4000),
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[OwnCluster]:
    with longhorn_cluster("selftest-lh-faults") as own:
        yield own


@pytest.fixture(scope="module")
def api(own_cluster: OwnCluster) -> Api:
    return Api.from_kubeconfig(own_cluster.found().kubeconfig)


@pytest.fixture
def here(own_cluster: OwnCluster, clean: Api) -> Iterator[tuple[str, ...]]:
    with options_here(own_cluster, clean) as options:
        yield options


def rebuild(here: tuple[str, ...], folder: Path, *more: str) -> list[str]:
    """The options of a run that has one of three replicas of 512 MiB rebuilt."""
    options = ("--storage-class=longhorn", "-k", "full-data", "--storage-rebuild-size=512Mi")
    return [*REBUILD, *here, *options, "--storage-rebuild-timeout=12min", *more, limits(folder)]


# Before it


def test_a_volume_that_loses_replicas_before_the_trigger_keeps_the_last_one(
    here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path
) -> None:
    """Two of three die after the volume was seen to be whole. Longhorn is kept from taking them up again."""
    with started_suite(*rebuild(here, tmp_path), reports=reports) as process:
        view = wait_before_trigger(api, reports)
        with setting(api, REBUILD_LIMIT, "0"):
            for name in view.readable[:2]:
                kill(api, replica_of(view.name, name), namespace=NAMESPACE)
            found = finish(process, reports=reports, timeout=RUN_S)
    assert found.status == 10, found.output
    assert "with 3 complete replicas before one is removed, found 1," in said_in(found)
    assert all(f"replica {name}: failed at" in said_in(found) for name in view.readable[:2])
    assert found.results["rebuilds"] == [] and found.results["verdicts"] == []


def test_a_volume_that_never_had_all_its_replicas_loses_none(
    here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path
) -> None:
    """Two nodes take none, so that it has one of three. Longhorn itself refuses to delete that, too."""
    _, *others = sorted(each["metadata"]["name"] for each in api.list(LONGHORN_NODES, namespace=NAMESPACE))
    with taking_no_replicas(api, others), started_suite(*rebuild(here, tmp_path), reports=reports) as process:
        view = wait_until(api, reports, "its only replica to be in use", lambda seen: len(seen.readable) == 1)
        with pytest.raises(ApiError) as refused:
            api.delete(REPLICAS, view.readable[0], namespace=NAMESPACE)
        found = finish(process, reports=reports, timeout=RUN_S)
    assert "no other healthy replica available" in refused.value.message
    assert found.status == 10, found.output
    assert "with 3 complete replicas before one is removed, found 1, robustness degraded" in said_in(found)
    assert "ReplicaSchedulingFailure" in said_in(found)
    assert found.results["rebuilds"] == [] and found.results["verdicts"] == []


def test_a_replica_that_no_node_takes_is_told_with_longhorns_reason(
    here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path
) -> None:
    """Once the one before it is deleted."""
    nodes = [each["metadata"]["name"] for each in api.list(LONGHORN_NODES, namespace=NAMESPACE)]
    with started_suite(*rebuild(here, tmp_path, "--storage-timeout=2min"), reports=reports) as process:
        wait_before_trigger(api, reports)
        with taking_no_replicas(api, nodes):
            found = finish(process, reports=reports, timeout=RUN_S)
    assert found.status == 1, found.output
    (verdict,) = found.results["verdicts"]
    assert "ReplicaSchedulingFailure" in verdict["reason"]


# In the midst of it


def harmed(harm: Callable[[LonghornView], object], options: list[str], api: Api, reports: Path) -> SuiteRun:
    """A run in whose rebuild the volume comes to harm."""
    with started_suite(*options, reports=reports) as process:
        harm(wait_until(api, reports, "a replica of the run to be rebuilt", is_rebuilding))
        return finish(process, reports=reports, timeout=RUN_S)


def _kill_replica(api: Api, view: LonghornView) -> None:
    kill(api, replica_of(view.name, rebuilt_one(view)["metadata"]["name"]), namespace=NAMESPACE)


def _kill_instance_manager(api: Api, view: LonghornView) -> None:
    kill(api, INSTANCE_MANAGER, namespace=NAMESPACE, node=rebuilt_one(view)["spec"]["nodeID"])


@pytest.mark.parametrize("harm", [_kill_replica, _kill_instance_manager], ids=["the replica", "its instance manager"])
def test_a_process_that_is_killed_in_mid_rebuild_makes_it_longer(
    harm: Callable[[Api, LonghornView], None],
    here: tuple[str, ...],
    api: Api,
    reports: Path,
    tmp_path: Path,
) -> None:
    """Longhorn makes it anew; the time is that of all tries."""
    found = harmed(lambda view: harm(api, view), rebuild(here, tmp_path), api, reports)
    assert found.status == 0, found.output
    (record,) = found.results["rebuilds"]
    assert record["rebuilds"][0]["failures"] != [], found.output


def test_a_rebuild_whose_manager_is_killed_never_ends_and_is_told_so(
    here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path
) -> None:
    """That of the node where the volume is used. Longhorn 1.10.0 copies all data then, and leaves it at that."""

    def harm(view: LonghornView) -> None:
        kill(api, MANAGER, namespace=NAMESPACE, node=view.engines[0]["spec"]["nodeID"])

    found = harmed(harm, rebuild(here, tmp_path, "--storage-rebuild-timeout=4min"), api, reports)
    assert found.status == 1, found.output
    (verdict,) = found.results["verdicts"]
    assert "has all data, but Longhorn does not use it yet (WO)" in verdict["reason"]


def test_a_node_that_fails_in_mid_rebuild_is_waited_for(
    own_cluster: OwnCluster, here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path
) -> None:
    """That of the replica that is rebuilt."""
    name = own_cluster.layout.name

    def harm(view: LonghornView) -> None:
        node = rebuilt_one(view)["spec"]["nodeID"]
        embedded_cluster.stop_node(name, node)
        try:
            wait_until(api, reports, "the rebuild to break off", lambda seen: not is_rebuilding(seen))
        finally:
            embedded_cluster.start_node(name, node)

    found = harmed(harm, rebuild(here, tmp_path), api, reports)
    assert found.status == 0, found.output
    (record,) = found.results["rebuilds"]
    assert record["rebuilds"][0]["failures"] != []


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (engine_of, "its engine has failed, and its users had errors; 2 replicas hold its data"),
        (replica_of, "all of its replicas have failed; Longhorn may salvage it"),
    ],
    ids=["engine", "all replicas"],
)
def test_a_volume_that_is_faulted_in_mid_rebuild_ends_it_and_what_failed_is_told(
    part: Callable[[str], Part], said: str, here: tuple[str, ...], api: Api, reports: Path, tmp_path: Path
) -> None:
    """Longhorn attaches it again by itself, and salvages replicas; nobody knows what it lost meanwhile."""

    def harm(view: LonghornView) -> None:
        kill(api, part(view.name), namespace=NAMESPACE)

    found = harmed(harm, rebuild(here, tmp_path), api, reports)
    assert found.status == 1, found.output
    (verdict,) = found.results["verdicts"]
    assert f"is faulted: {said}" in verdict["reason"]
