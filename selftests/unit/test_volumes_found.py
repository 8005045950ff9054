"""The volumes that the suite looks for among all others are found, however the API server prints them."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster import api as api_module
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.claims import Claim, create_claim
from acceptance.cluster.cleanup import remove_run
from acceptance.cluster.columns import TABLE
from acceptance.cluster.leftovers import find_leftovers
from acceptance.cluster.volumes import unclaimed_volumes, volumes_of
from acceptance.text.errors import EnvironmentFailure
from selftests.unit.paged_api_server import (
    LATER,
    NAMESPACE,
    OWN,
    PAGE,
    ROWS,
    RUN_ID,
    VOLUME_COLUMNS,
    PagedApiServer,
    cluster,
    small_pages,
    volume,
)

CLAIM = Claim(name="a", namespace=NAMESPACE, storage_class="fast", size=2**30, run_id=RUN_ID)


@pytest.fixture(autouse=True)
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of them, of few volumes."""
    small_pages(monkeypatch)


def waiting_volumes() -> list[Any]:
    """Volumes that nobody has claimed, and others that are like them but in one thing."""
    old: dict[str, Any] = {"annotations": {"volume.beta.kubernetes.io/storage-class": "fast"}}
    found = [
        volume("available"),
        volume("pending"),
        volume("going", deletionTimestamp=LATER),
        volume("by-annotation", **old),
        volume("of-another-class"),
        volume("reserved", namespace="shop"),
        volume("released", namespace="shop"),
        volume("failed"),
    ]
    by_name = {each["metadata"]["name"]: each for each in found}
    by_name["pending"]["status"]["phase"] = "Pending"
    by_name["by-annotation"]["spec"]["storageClassName"] = by_name["of-another-class"]["spec"]["storageClassName"] = "x"
    by_name["reserved"]["status"]["phase"] = "Available"
    by_name["released"]["status"]["phase"], by_name["failed"]["status"]["phase"] = "Released", "Failed"
    return found


IN_ANOTHER_ORDER = dict(reversed(VOLUME_COLUMNS.items()))
RENAMED = {name.replace("Claim", "Held By"): of for name, of in IN_ANOTHER_ORDER.items()}


UNSET = {**VOLUME_COLUMNS, "Claim": lambda each: VOLUME_COLUMNS["Claim"](each) or "<unset>"}
PRINTED = {"today": VOLUME_COLUMNS, "another order": IN_ANOTHER_ORDER, "renamed": RENAMED, "unset": UNSET}


@pytest.fixture(params=[*({"persistentvolumes": each} for each in PRINTED.values()), {}], ids=[*PRINTED, "no tables"])
def printing(request: pytest.FixtureRequest) -> PagedApiServer:
    """A server that prints volumes as they are printed today, in other columns, or not at all."""
    server = cluster(volumes=ROWS + PAGE)
    server.printed = request.param
    return server


def test_volumes_that_wait_for_a_claim_are_found_however_the_server_prints_them(printing: PagedApiServer) -> None:
    for waiting_volume in waiting_volumes():
        printing.have("persistentvolumes", waiting_volume)
    found = unclaimed_volumes(printing.api, storage_classes={"fast", "slow"})
    assert {name: sorted(names) for name, names in found.items()} == {
        "fast": ["available", "by-annotation", "going", "pending"]
    }
    with pytest.raises(EnvironmentFailure, match=r"PVs of StorageClass fast wait for a PVC .*: available, "):
        create_claim(printing.api, CLAIM)
    assert not printing.objects["persistentvolumeclaims"]


def test_volumes_of_a_run_are_found_however_the_server_prints_them(printing: PagedApiServer) -> None:
    for number in range(3):
        printing.have("persistentvolumes", volume(f"ours-{number}", namespace=NAMESPACE, **OWN))
    printing.have("persistentvolumes", volume("not-ours", namespace=f"{NAMESPACE}-too"))
    names = ["ours-0", "ours-1", "ours-2"]
    assert [each["metadata"]["name"] for each in volumes_of(printing.api, namespace=NAMESPACE)] == names
    found = find_leftovers(printing.api)
    assert [f"PV {name}" for name in names] == list(found.runs[0].objects[-3:])
    assert "not-ours" in found.strange[0]


def test_a_server_that_gives_nothing_but_tables_is_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    server = cluster(volumes=10)
    server.printed = {"persistentvolumes": RENAMED}
    monkeypatch.setattr(api_module, "JSON", TABLE + ",*/*")
    with pytest.raises(ApiUnreachable, match="expected complete objects, found a table"):
        unclaimed_volumes(server.api, storage_classes={"fast"})


@pytest.mark.parametrize("others", [2, 3 * PAGE])
def test_whose_a_volume_is_is_never_told_by_a_column(others: int) -> None:
    """It was given to somebody else since, as far as one can tell: nothing is done to it."""
    server = cluster(volumes=others)
    server.have("persistentvolumes", volume("no-longer-ours", namespace="shop", policy="Retain", **OWN))
    says = {**VOLUME_COLUMNS, "Claim": lambda each: f"{NAMESPACE}/data"}
    server.printed = {"persistentvolumes": says}
    assert volumes_of(server.api, namespace=NAMESPACE) == []
    remove_run(server.api, run_id=RUN_ID, timeout_s=60)
    assert not any(asked.startswith(("PATCH", "DELETE persistentvolumes")) for asked, _ in server.asked)


def test_many_volumes_of_a_run_are_not_asked_for_one_by_one() -> None:
    server = cluster(volumes=5000)
    for number in range(2 * PAGE):
        server.have("persistentvolumes", volume(f"ours-{number:03}", namespace=NAMESPACE, **OWN))
    assert len(volumes_of(server.api, namespace=NAMESPACE)) == 2 * PAGE
    assert 0 < sum(asked == "GET persistentvolumes" for asked, _ in server.asked) <= 2 * PAGE
    for number in range(2 * PAGE, 4 * PAGE):
        server.have("persistentvolumes", volume(f"ours-{number:03}", namespace=NAMESPACE, **OWN))
    server.asked.clear()
    assert len(volumes_of(server.api, namespace=NAMESPACE)) == 4 * PAGE
    assert sum(asked == "GET persistentvolumes" for asked, _ in server.asked) == 0
