"""What is behind snapshots and is to go: who has overlooked that is reminded."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.resources import SNAPSHOT_CONTENTS, Object

GOES = {"spec": {"deletionPolicy": "Delete"}}
"""Have it go with its snapshot, whatever its class says."""
REMINDED = "storage-acceptance/reminded-at"
REMIND_EACH_S = 5.0


class GoingContents:
    """Contents of snapshots that were deleted, to be looked at until they are gone.

    csi-snapshotter (seen: 8.3.0) overlooks a deletion that is asked for while it creates the snapshot: what it writes
    then is newer than what it was told, and it looks again at its next resync (15 min) or at any change. So one that
    stays is changed every REMIND_EACH_S.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._since: dict[str, float] = {}

    def find(self, name: str) -> Object | None:
        """The content; None once it is gone. Raises ApiError, ApiUnreachable."""
        found = self._api.find(SNAPSHOT_CONTENTS, name)
        if found is not None and "deletionTimestamp" in found["metadata"]:
            now = time.monotonic()
            if now - self._since.setdefault(name, now) >= REMIND_EACH_S:
                self._since[name] = now
                self._remind(name)
        return found

    def _remind(self, name: str) -> None:
        told = {REMINDED: datetime.now(UTC).isoformat(timespec="seconds")}
        with suppress(ApiError):  # gone since, or no right to change it: it is waited for all the same
            self._api.patch(SNAPSHOT_CONTENTS, name, {"metadata": {"annotations": told}})
