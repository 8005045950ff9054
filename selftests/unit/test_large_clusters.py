"""Clusters with tens of thousands of volumes of others: what a run asks for hardly depends on how many there are.

Pages are a tenth of their size here: 5,000 volumes are as many pages as 50,000 are.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.claims import (
    Claim,
    create_claim,
    delete_claim,
    remove_claim,
    require_no_unclaimed_volumes,
    wait_bound,
)
from acceptance.cluster.cleanup import Leak, remove_run
from acceptance.cluster.leftovers import find_leftovers
from acceptance.cluster.other_runs import OtherRuns
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import CLAIMS
from acceptance.cluster.stateful_sets import SetPlan, remove_set
from acceptance.cluster.volumes import unclaimed_volumes, volumes_of
from acceptance.cluster.workspace import Workspace
from acceptance.trials.volume_life import TrialVolume
from selftests.unit.paged_api_server import (
    NAMESPACE,
    OWN,
    ROWS,
    RUN_ID,
    Clock,
    PagedApiServer,
    attachment,
    cluster,
    small_pages,
    volume,
)

FEW = {"volumes": 10, "attachments": 8}
MANY = {"volumes": 5000, "attachments": 4000}
# At 50,000 volumes and 40,000 attachments, beside a run at 10.
MORE_PAGES = 50
TRIALS = 5


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Nobody waits in earnest, and pages are small."""
    small_pages(monkeypatch)
    return Clock(monkeypatch)


def claim(name: str) -> Claim:
    return Claim(name=name, namespace=NAMESPACE, storage_class="fast", size=2**30, run_id=RUN_ID)


def bound(api: Api, name: str) -> Claim:
    made = claim(name)
    create_claim(api, made)
    wait_bound(api, made, timeout_s=60)
    return made


def smoke(api: Api) -> None:
    """What the smoke tests ask of the cluster's volumes: the look before, a claim for each test, one that is loaded."""
    require_no_unclaimed_volumes(api, storage_classes={"fast"})
    for number in range(TRIALS):
        made = bound(api, f"trial-{number}")
        (remove_claim(api, made, timeout_s=60) if number + 1 == TRIALS else delete_claim(api, made))
    bound(api, "load")
    remove_run(api, run_id=RUN_ID, timeout_s=60)


def test_a_smoke_run_asks_for_few_pages_more_than_beside_ten_volumes() -> None:
    pages = {}
    for name, others in (("few", FEW), ("many", MANY)):
        server = cluster(lasting=10, **others)
        smoke(server.api)
        assert server.objects["persistentvolumes"].keys() == {("", f"shop-{n:06}") for n in range(others["volumes"])}
        pages[name] = server.pages
    assert (pages["many"] - pages["few"]).total() <= MORE_PAGES, pages


def wide(server: PagedApiServer, kind: str) -> int:
    """How many pages of a look through all of the cluster were asked for."""
    return sum(asked == f"LIST {kind}" and "fieldSelector" not in query for asked, query in server.asked)


def test_nothing_is_decided_by_what_the_server_remembers() -> None:
    server = cluster(lasting=3, **FEW)
    smoke(server.api)
    assert [query for _, query in server.asked if "resourceVersion" in query] == []


@pytest.mark.parametrize("others", [FEW, MANY], ids=["few", "many"])
def test_volumes_are_waited_for_by_name(others: dict[str, int]) -> None:
    """Through 20 looks all of the cluster is looked through twice: before the claims go, and when all seems gone."""
    server = cluster(lasting=20, **others)
    for name in ("a", "b", "c"):
        bound(server.api, name)
    server.asked.clear()
    remove_run(server.api, run_id=RUN_ID, timeout_s=60)
    assert server.objects["persistentvolumes"].keys() == {("", f"shop-{n:06}") for n in range(others["volumes"])}
    assert sum(asked == "GET persistentvolumes" for asked, _ in server.asked) >= 3 * 20
    assert wide(server, "persistentvolumes") <= 2 * (others["volumes"] // ROWS + 1) + (others is FEW)
    assert wide(server, "volumeattachments") == max(1, others["attachments"] // ROWS)


def test_a_volume_that_comes_late_is_noticed_and_waited_for() -> None:
    """Its class would retain it, and its PVC is gone: nobody knows its name before the last look."""
    server = cluster(lasting=3, **FEW)
    bound(server.api, "a")
    server.late = [volume("late", namespace=NAMESPACE, policy="Retain", **OWN)]
    remove_run(server.api, run_id=RUN_ID, timeout_s=60)
    assert ("", "late") not in server.objects["persistentvolumes"]


def test_what_came_late_is_named_beside_what_does_not_go() -> None:
    server = cluster(lasting=10**6, **FEW)
    made = bound(server.api, "a")
    stuck = server.api.get(CLAIMS, made.name, namespace=NAMESPACE)["spec"]["volumeName"]
    server.late = [volume("late", namespace=NAMESPACE, **OWN)]
    server.have("volumeattachments", attachment("csi-ours", of=stuck))
    with pytest.raises(Leak) as raised:
        remove_run(server.api, run_id=RUN_ID, timeout_s=60)
    assert f"last state: {stuck} (phase Bound" in str(raised.value)
    assert "further objects: persistentvolumes late, volumeattachments csi-ours" in str(raised.value)


def test_an_attachment_that_stays_is_waited_for_by_name_and_named() -> None:
    server = cluster(**MANY)
    made = bound(server.api, "a")
    name = server.api.get(CLAIMS, made.name, namespace=NAMESPACE)["spec"]["volumeName"]
    server.have("volumeattachments", attachment("csi-ours", of=name))
    server.asked.clear()
    with pytest.raises(Leak, match=r"PVs and VolumeAttachments of .*; last state: csi-ours \(phase unknown"):
        remove_run(server.api, run_id=RUN_ID, timeout_s=60)
    assert wide(server, "volumeattachments") == 2 * (MANY["attachments"] // ROWS + 1)
    assert sum("csi-ours" in query.get("fieldSelector", "") for _, query in server.asked) > 20


@pytest.mark.parametrize("others", [FEW, MANY], ids=["few", "many"])
def test_the_volumes_of_a_set_are_waited_for_by_name(others: dict[str, int]) -> None:
    like = PodPlan(name="load", claims=(claim("like"),), image="fio:1", command=["sh"], deadline_s=0)
    plan = SetPlan(name="load", pod=like)
    server = cluster(lasting=20, **others)
    for ordinal in range(3):
        bound(server.api, plan.claim(ordinal).name)
    server.asked.clear()
    remove_set(server.api, plan, pods=3, timeout_s=60)
    assert volumes_of(server.api, namespace=NAMESPACE) == []
    assert wide(server, "persistentvolumes") <= 3 * (others["volumes"] // ROWS + 1) + (others is FEW)


def test_a_row_is_read_without_the_metadata_of_its_object() -> None:
    """On a real API server, with 20,000 rows a page, they took 262 MB more than beside ten volumes."""
    api = cluster(volumes=ROWS).api
    tracemalloc.start()
    try:
        find_leftovers(api)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / ROWS < 2500


@pytest.mark.parametrize("look", [lambda api: unclaimed_volumes(api, storage_classes={"fast"}), find_leftovers])
def test_memory_does_not_grow_with_the_volumes_of_others(look: Callable[[Api], object]) -> None:
    def peak(volumes: int) -> int:
        api = cluster(volumes=volumes).api
        tracemalloc.start()
        try:
            look(api)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    # The server in memory sorts what it has, which takes 0.3 MB; the rows, if they were kept, would take 2.8 MB.
    assert peak(6 * ROWS) - peak(2 * ROWS) < 5e5


def test_looking_for_volumes_of_others_is_not_the_storages_time(clock: Clock) -> None:
    server = cluster()
    steps: dict[str, float] = {}
    workspace = Workspace(api=server.api, run_id=RUN_ID, namespace=NAMESPACE, image="fio:1", timeout_s=60)
    trial = TrialVolume(workspace, claim("a"), time_step=steps.__setitem__)
    server.before_page = lambda: clock.sleep(30)
    trial.claim()
    server.before_page = lambda: None
    assert trial.nodes == []
    assert steps["claim bound"] < 1


def test_where_other_runs_have_their_pods_costs_the_server_little() -> None:
    """It is told, and nothing is decided by it."""
    server = cluster()
    others = OtherRuns(server.api, run_id=RUN_ID, warn=lambda run_id, sentence: None)
    others.note("storage-acceptance-20261121-071400-4f3a9c0b1d2e7a65")
    (query,) = (query for asked, query in server.asked if asked == "LIST pods")
    assert query["resourceVersion"] == "0" and query["labelSelector"]
