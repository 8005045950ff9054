"""A controller that leaves a condition on PVCs whose expansion is over, as a syncer of vSphere's driver did."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, Object
from acceptance.text.errors import AcceptanceError
from acceptance.text.quantities import parse_size
from selftests.lab.background import in_background

CONDITION = "FileSystemResizePending"
LOOK_S = 0.2


@contextmanager
def lingering_condition(api: Api, storage_class: str, *, above: int) -> Iterator[None]:
    """PVCs of the class have the condition while their capacity is above so many bytes, until the block ends."""
    with in_background(partial(_keep, api, storage_class, above)):
        yield


def _keep(api: Api, storage_class: str, above: int, ended: threading.Event) -> None:
    while not ended.wait(LOOK_S):
        with suppress(AcceptanceError):  # such as of a claim that is deleted meanwhile
            for claim in api.list(CLAIMS):
                if claim["spec"].get("storageClassName") == storage_class and _capacity(claim) > above:
                    _add(api, claim)


def _capacity(claim: Object) -> int:
    return parse_size((claim["status"].get("capacity") or {}).get("storage", "1"))


def _add(api: Api, claim: Object) -> None:
    conditions = claim["status"].get("conditions") or []
    if CONDITION in (condition["type"] for condition in conditions):
        return
    body = {"status": {"conditions": [*conditions, {"type": CONDITION, "status": "True"}]}}
    api.patch(CLAIMS, f"{claim['metadata']['name']}/status", body, namespace=claim["metadata"]["namespace"])
