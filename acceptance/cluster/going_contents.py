"""What is behind snapshots and is to go: who has overlooked that is reminded."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import SNAPSHOT_CONTENTS, Object

GOES = {"spec": {"deletionPolicy": "Delete"}}
"""Have it go with its snapshot, whatever its class says."""
REMINDED = "storage-acceptance/reminded-at"
REMIND_EACH_S = 5.0


class GoingContents:
    """Contents of snapshots that were deleted before they were taken, and are looked at until they are gone.

    The snapshot controller may let a snapshot go before it has heard that its content is to go too: nobody deletes that
    then. And csi-snapshotter (seen: 8.3.0) overlooks a deletion that is asked for while it creates the snapshot: what
    it writes then is newer than what it was told. It looks again at its next resync (15 min), or at any change.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._since: dict[str, float] = {}

    def put_right(self, content: Object, *, has_snapshot: bool) -> None:
        """Delete one whose snapshot has gone without it; change one that stays, every REMIND_EACH_S.

        Raises ApiUnreachable.
        """
        name = name_of(content)
        with suppress(ApiError):  # gone since, or no right to do it: it is waited for all the same
            if "deletionTimestamp" in content["metadata"]:
                self._remind(name)
            elif not has_snapshot:
                self._api.patch(SNAPSHOT_CONTENTS, name, GOES)
                self._api.delete(SNAPSHOT_CONTENTS, name)

    def find(self, name: str) -> Object | None:
        """The content, reminded of if it is there; None once it is gone. Raises ApiError, ApiUnreachable."""
        found = self._api.find(SNAPSHOT_CONTENTS, name)
        if found is not None:
            self.put_right(found, has_snapshot=True)
        return found

    def _remind(self, name: str) -> None:
        now = time.monotonic()
        if now - self._since.setdefault(name, now) < REMIND_EACH_S:
            return
        self._since[name] = now
        told = {REMINDED: datetime.now(UTC).isoformat(timespec="seconds")}
        self._api.patch(SNAPSHOT_CONTENTS, name, {"metadata": {"annotations": told}})
