"""Shared volumes of Longhorn: what its nodes say of NFS clients, and that none is made where there are too few."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.cluster.claims import AccessMode
from acceptance.cluster.longhorn_resources import LONGHORN_NODES
from acceptance.cluster.nfs_clients import CONDITION, why_not_shared
from acceptance.text.errors import NotTried
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.trying import TRIALS
from selftests.unit.longhorn_lab import storage_class
from selftests.unit.simulated_api import SimulatedApi

LACKS = "NFS clients [CONFIG_NFS_V4] not found. At least one should be enabled"


def node(name: str, has_client: bool | None) -> dict[str, Any]:
    """One of Longhorn's; None: it says nothing of clients."""
    # In Longhorn's words the options are in another order each time.
    said = {"type": CONDITION, "status": str(has_client), "message": "" if has_client else f"{name}: {LACKS}"}
    ready = {"type": "Ready", "status": "False", "message": "is starting"}
    return {"metadata": {"name": name}, "status": {"conditions": [ready, *([said] if has_client is not None else [])]}}


def cluster(*has_client: bool | None, forbidden: tuple[str, ...] = ()) -> Any:
    api = SimulatedApi({"longhorn.io": ["v1beta2"]}, forbidden=forbidden)
    for number, each in enumerate(has_client, start=1):
        api.create(LONGHORN_NODES, node(f"node-{number}", each))
    return api


@pytest.mark.parametrize(
    ("has_client", "without"),
    [
        ((False, False, False), "node-1, node-2, node-3"),
        ((True, False, False), "node-2, node-3"),
        ((True, True, False), None),
        ((None, None), None),
        ((None, False, None), None),
        ((), None),
    ],
)
def test_two_nodes_must_have_a_client(has_client: tuple[bool | None, ...], without: str | None) -> None:
    """Longhorn's own words are told, those of the first."""
    why = why_not_shared(cluster(*has_client), storage_class())
    told = "" if without is None else f"{without}: {without.split(',')[0]}: {LACKS}"
    assert why == (None if without is None else f"Longhorn finds no NFS client (required for shared volumes) on {told}")


def test_nothing_is_known_of_others_and_of_nodes_that_may_not_be_listed() -> None:
    nothing: Any = SimulatedApi({})
    assert (
        why_not_shared(cluster(False, False), storage_class().model_copy(update={"provisioner": "rbd.csi.ceph.com"}))
        is None
    )
    assert why_not_shared(nothing, storage_class()) is None
    assert why_not_shared(cluster(False, False, forbidden=("list nodes",)), storage_class()) is None


def test_a_migratable_volume_takes_no_client() -> None:
    assert why_not_shared(cluster(False, False), storage_class(migratable="false")) is not None
    assert why_not_shared(cluster(False, False), storage_class(migratable="true")) is None


@pytest.mark.parametrize("block", [False, True])
@pytest.mark.parametrize("access", ["ReadWriteMany", "ReadOnlyMany"])
def test_no_volume_for_several_nodes_is_made_where_there_are_too_few(access: AccessMode, block: bool) -> None:
    """The workspace has nothing that makes one; one for a single node is asked of it."""
    workspace: Any = SimpleNamespace(api=cluster(False, False))
    bench = Bench(workspace, storage_class(), capability="read-write-many", node=None, keep=False)
    with pytest.raises(NotTried, match="Longhorn finds no NFS client"):
        bench.claim("volume", access=access, block=block)
    with pytest.raises(AttributeError, match="claim"):
        bench.claim("volume", block=block)


@pytest.mark.parametrize("capability", ["read-only-many", "restore-read-only", "clone-read-only"])
def test_nothing_is_written_to_be_read_by_several_nodes_where_there_are_too_few(capability: str) -> None:
    """The workspace has nothing that makes the volume which would be copied."""
    workspace: Any = SimpleNamespace(api=cluster(False, False))
    with pytest.raises(NotTried, match="Longhorn finds no NFS client"):
        TRIALS[capability](Bench(workspace, storage_class(), capability=capability, node=None, keep=False))
