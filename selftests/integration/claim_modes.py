"""The access modes of the claims of runs, as the cluster has them while the runs go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS
from acceptance.text.errors import AcceptanceError
from selftests.integration.suite import own
from selftests.lab.background import in_background

LOOK_S = 0.3


@contextmanager
def claim_modes(api: Api) -> Iterator[dict[str, list[str]]]:
    """The access modes of all claims of this process's runs by their names, until the block ends."""
    modes: dict[str, list[str]] = {}

    def keep_looking(ended: threading.Event) -> None:
        while not ended.wait(LOOK_S):
            with suppress(AcceptanceError):  # seen again at the next turn
                modes.update({claim["metadata"]["name"]: claim["spec"]["accessModes"] for claim in own(api, CLAIMS)})

    with in_background(keep_looking):
        yield modes
