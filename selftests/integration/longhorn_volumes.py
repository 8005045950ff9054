"""Longhorn's volume of a run that goes on, watched: until it is whole, or one of its replicas is rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import LONGHORN_NODES, SETTINGS
from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.resources import PODS, Object
from acceptance.cluster.waiting import wait_for
from acceptance.trials.rebuild.longhorn_api import longhorn_view
from acceptance.trials.rebuild.longhorn_objects import LonghornView
from acceptance.trials.rebuild.patterns import FOREGROUND_JOB
from embedded_cluster.longhorn.part import NAMESPACE
from selftests.integration.longhorn_cluster import volumes_of_runs
from selftests.integration.suite import own

# For a run to get so far, from its beginning, on a busy machine: its volume is made, attached and written to first.
BEGUN_S = 600


def view_of_run(api: Api, reports: Path) -> LonghornView | None:
    """The volume of the run that reports there, once there is one."""
    found = volumes_of_runs(api, reports=reports)
    return longhorn_view(api, found[0]["metadata"]["name"], namespace=NAMESPACE) if found else None


def wait_until(api: Api, reports: Path, what: str, is_so: Callable[[LonghornView], bool]) -> LonghornView:
    """Until that is so of the run's volume; the volume."""
    found = wait_for(
        what,
        look=lambda: view_of_run(api, reports),
        ready=lambda seen: seen is not None and is_so(seen),
        state=lambda seen: "no volume" if seen is None else f"{seen.state}, {seen.robustness}, {seen.modes}",
        timeout_s=BEGUN_S,
    )
    assert found is not None
    return found


def is_rebuilding(view: LonghornView) -> bool:
    return "WO" in view.modes.values()


def rebuilt_one(view: LonghornView) -> Object:
    """The replica that is rebuilt."""
    (name,) = (name for name, mode in view.modes.items() if mode == "WO")
    (found,) = (replica for replica in view.replicas if replica["metadata"]["name"] == name)
    return dict(found)


def _seconds_of_writes(api: Api, pod: Object) -> int:
    """That a pod has printed, where its writes are those beside a rebuild."""
    meta = pod["metadata"]
    if pod["status"]["phase"] != "Running" or FOREGROUND_JOB not in pod["spec"]["containers"][0]["command"]:
        return 0
    return api.log(meta["name"], namespace=meta["namespace"], container=MAIN).count('"jobs"')


def wait_before_trigger(api: Api, reports: Path) -> LonghornView:
    """Until the writes before a rebuild go on, for some 15 s: the volume was seen to be whole, nothing is triggered.

    The suite looks at the volume once their pod runs, so that some seconds of them tell that it has.
    """
    wait_for(
        "the writes before a rebuild",
        look=lambda: sum(_seconds_of_writes(api, each) for each in own(api, PODS)),
        ready=lambda seen: seen >= 3,
        state=lambda seen: f"{seen} s",
        timeout_s=BEGUN_S,
    )
    return wait_until(api, reports, "the volume to be whole", lambda seen: len(seen.readable) == seen.desired_replicas)


@contextmanager
def taking_no_replicas(api: Api, nodes: list[str]) -> Iterator[None]:
    """Longhorn places no replica on the nodes for as long as the block; those that are there stay."""

    def allow(allowed: bool) -> None:
        for name in nodes:
            api.patch(LONGHORN_NODES, name, {"spec": {"allowScheduling": allowed}}, namespace=NAMESPACE)

    allow(False)
    try:
        yield
    finally:
        allow(True)


@contextmanager
def setting(api: Api, name: str, value: str) -> Iterator[None]:
    """Longhorn's setting has that value for as long as the block."""
    before = api.get(SETTINGS, name, namespace=NAMESPACE)["value"]
    api.patch(SETTINGS, name, {"value": value}, namespace=NAMESPACE)
    try:
        yield
    finally:
        api.patch(SETTINGS, name, {"value": before}, namespace=NAMESPACE)
