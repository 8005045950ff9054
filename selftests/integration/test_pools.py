"""Pools that others use are not filled unasked: what is free is read where it can be known, before anything is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, NAMESPACES, STORAGE_CAPACITIES, Object
from acceptance.planning.table import ENDS_BEFORE
from selftests.integration.suite import own, own_runs, run_suite
from selftests.lab.longhorn_controller import longhorn
from selftests.lab.longhorn_volume import Behaviour
from selftests.lab.provisioner import LabClass, lab_classes

CLASS, TOO, LONGHORN = "lab-pool", "lab-pool-too", "lab-pool-longhorn"
GIB = 1024**3
# One volume of a GiB.
ONE = ("-k", "takes_a_write")


@pytest.fixture(scope="module", autouse=True)
def lab(api: Api, lab_folder: Path) -> Iterator[None]:
    """Two classes of one provisioner, and one whose provisioner calls itself Longhorn's; on folders of this host."""
    folder = lab_folder / "pool"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    classes = [LabClass(name=name, folder=folder) for name in (CLASS, TOO)]
    classes.append(LabClass(name=LONGHORN, folder=folder, provisioner="driver.longhorn.io"))
    with lab_classes(api, classes):
        yield


@contextmanager
def capacity(api: Api, free: str | None, *, of: str = CLASS, **more: object) -> Iterator[None]:
    """What a driver would tell of the class, for all nodes, until the block ends; None: it tells no capacity."""
    told: Object = {"storageClassName": of, "nodeTopology": {}} | ({} if free is None else {"capacity": free}) | more
    name = f"{of}-capacity"
    try:
        api.create(STORAGE_CAPACITIES, {"metadata": {"name": name}, **told}, namespace="default")
        yield
    finally:
        api.delete(STORAGE_CAPACITIES, name, namespace="default")


def assert_nothing_was_made(api: Api) -> None:
    """Not even a namespace, of any run that these tests have started."""
    assert own_runs() and own(api, NAMESPACES) == [] and own(api, CLAIMS) == []


@pytest.mark.parametrize(
    ("free", "options", "said"),
    [
        (
            "1900Mi",
            (),
            "StorageClass lab-pool: up to 1 GiB would be claimed at one time; 1.855 GiB is free (CSIStorageCapacity: "
            "all nodes), of which a run may claim 50 %, 950 MiB",
        ),
        ("100Gi", ("--storage-pool-share=1%",), "of which a run may claim 1 %, 1 GiB"),
        ("0", (), "0 B is free"),
    ],
    ids=["little", "small share", "full"],
)
def test_a_pool_without_room_is_not_begun_on(
    free: str, options: Sequence[str], said: str, clean: Api, reports: Path
) -> None:
    selected = ("-k", "takes_a_write or new_pod_on_the_same") if free == "100Gi" else ONE
    with capacity(clean, free):
        run = run_suite("--storage-class", CLASS, *selected, *options, reports=reports)
    assert run.status == 10, run.output
    told = run.results["errors"]
    assert len(told) == 1 and said in told[0], told
    assert "The most is claimed during: lab-pool: " in told[0] and "tests/test_provisioning.py::test_" in told[0]
    assert run.results["verdicts"] == []
    assert_nothing_was_made(clean)


@pytest.mark.parametrize(
    "free", ["2Gi", *(pytest.param(each, marks=pytest.mark.full) for each in (None, "none at all"))]
)
def test_with_room_or_where_nothing_is_known_the_same_run_begins(free: str | None, clean: Api, reports: Path) -> None:
    """A driver that makes no such object, or tells no capacity, is not asked for more than it says."""
    with ExitStack() as undo:
        if free != "none at all":
            undo.enter_context(capacity(clean, free))
        run = run_suite("--storage-class", CLASS, *ONE, reports=reports)
    assert run.status == 0, run.output
    (pool,) = run.results["pools"]
    assert (pool["claimed"], pool["free"]) == (GIB, 2 * GIB if free == "2Gi" else None)
    assert pool["description"].endswith("at most 1 GiB is claimed" if free == "2Gi" else "free space is not known")
    assert pool["description"] in (run.folder / "latest" / "report.html").read_text(encoding="utf-8")


@pytest.mark.full
def test_a_share_that_is_agreed_to_is_claimed(clean: Api, reports: Path) -> None:
    with capacity(clean, "1900Mi"):
        run = run_suite("--storage-class", CLASS, *ONE, "--storage-pool-share=54%", reports=reports)
    assert run.status == 0, run.output


def test_a_volume_that_the_driver_cannot_make_is_not_asked_for(clean: Api, reports: Path) -> None:
    with capacity(clean, "100Gi", maximumVolumeSize="512Mi"):
        run = run_suite("--storage-class", CLASS, *ONE, reports=reports)
    assert run.status == 10, run.output
    assert "a PVC of 1 GiB is planned; no PV can be larger than 512 MiB" in run.results["errors"][0]
    assert_nothing_was_made(clean)


def test_classes_of_one_provisioner_count_together(clean: Api, reports: Path) -> None:
    """A GiB of the one, and while that goes one of the other."""
    with capacity(clean, "3Gi"):
        run = run_suite("--storage-class", CLASS, "--storage-class", TOO, *ONE, reports=reports)
    assert run.status == 10, run.output
    said = f"StorageClass {CLASS} (with {TOO}, of the same provisioner): up to 2 GiB would be claimed"
    assert said in run.results["errors"][0]
    assert_nothing_was_made(clean)


@pytest.mark.full
def test_what_another_class_has_is_not_this_ones(clean: Api, reports: Path) -> None:
    with capacity(clean, "1Mi", of="somebody-elses"):
        run = run_suite("--storage-class", CLASS, *ONE, reports=reports)
    assert run.status == 0, run.output


def test_much_is_claimed_with_consent_alone(clean: Api, reports: Path) -> None:
    """A volume is no larger for what is asked for: it is a folder. What is agreed to is claimed."""
    load = ("--storage-class", CLASS, "-k", "random-write-latency", "--storage-volume-size=101Gi")
    refused = run_suite(*load, reports=reports)
    assert refused.status == 4, refused.output
    told = " ".join(refused.output.split())
    assert "up to 101 GiB would be claimed at one time (at most 101 GiB of lab-pool; replicas not counted)" in told
    assert "without consent a run claims at most 100 GiB" in told and "consent: --storage-claim-at-most=101Gi" in told
    assert_nothing_was_made(clean)
    begun = run_suite(*load, "--storage-claim-at-most=101Gi", reports=reports)
    assert begun.status in (0, 1, 6), begun.output
    assert begun.results["measurements"], begun.output


def test_a_plan_says_that_a_run_would_be_refused(clean: Api, reports: Path) -> None:
    with capacity(clean, "1900Mi"):
        run = run_suite("--storage-plan", "--storage-class", CLASS, *ONE, reports=reports)
    assert run.status == 0, run.output
    told = " ".join(run.output.split())
    assert f"{ENDS_BEFORE}, with exit status 10: StorageClass lab-pool: up to 1 GiB would be claimed" in told
    assert "lab-pool: at most 1 GiB claimed at one time; 1.855 GiB is free" in told
    assert not reports.exists()


@pytest.mark.disrupts  # Longhorn's kinds are the whole cluster's, and other tests define them too
@pytest.mark.parametrize(
    ("free", "status"), [pytest.param(2 * GIB, 10, marks=pytest.mark.full), (3 * GIB, 0)], ids=["little", "enough"]
)
def test_longhorn_says_how_much_its_disks_take(free: int, status: int, clean: Api, reports: Path) -> None:
    """Three replicas on four nodes; a quarter of each disk stays free. Without the target nobody asks Longhorn."""
    with longhorn(clean, Behaviour(nodes=("store-1", "store-2", "store-3"), free=free)):
        run = run_suite("--storage-class", LONGHORN, *ONE, "--storage-target=longhorn", reports=reports)
        assert run.status == status, run.output
        (pool,) = run.results["pools"]
        unasked = run_suite("--storage-class", LONGHORN, *ONE, reports=reports)
    assert pool["free"] == free * 3 // 4 and "Longhorn's nodes: volumes with all their replicas" in pool["description"]
    assert unasked.status == 0 and unasked.results["pools"][0]["free"] is None
