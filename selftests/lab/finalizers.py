"""Somebody who takes finalizers away from what is being deleted, as scripts do that are to end a hanging deletion."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, Object
from acceptance.text.errors import AcceptanceError
from selftests.lab.background import in_background

POLL_S = 0.2


@contextmanager
def stripped_claims(api: Api, own: Callable[[], Sequence[Object]]) -> Iterator[None]:
    """Claims that `own` lists lose all finalizers when their deletion is asked for, until the block ends."""

    def strip(ended: threading.Event) -> None:
        while not ended.wait(POLL_S):
            with suppress(AcceptanceError):  # seen again at the next turn
                for each in own():
                    if each["metadata"].get("deletionTimestamp"):
                        about = each["metadata"]
                        change = {"metadata": {"finalizers": None}}
                        api.patch(CLAIMS, about["name"], change, namespace=about["namespace"])

    with in_background(strip):
        yield
