"""What is behind snapshots and is to go: who has overlooked that is reminded."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import GROUP_CONTENTS, SNAPSHOT_CONTENTS, Object, Resource

GOES = {"spec": {"deletionPolicy": "Delete"}}
"""Have it go with its snapshot, whatever its class says."""
REMINDED = "storage-acceptance/reminded-at"
REMIND_EACH_S = 5.0
# With which the snapshot controller hands a group's content to csi-snapshotter, which else looks at none that is to go.
_GIVEN_UP = {"groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted": "yes"}


def let_content_go(api: Api, kind: Resource, name: str, **more: Object) -> bool:
    """Have it go with its snapshot, and change `more`; whether it is there. Raises ApiError."""
    try:
        api.patch(kind, name, GOES | more)
    except ApiError as error:
        if error.status != 404:
            raise
        return False
    return True


def have_content_gone(api: Api, kind: Resource, name: str) -> None:
    """Delete what is behind a snapshot, or a group of them, that has gone without it. Raises ApiError."""
    more: dict[str, Object] = {"metadata": {"annotations": _GIVEN_UP}} if kind.plural == GROUP_CONTENTS.plural else {}
    if let_content_go(api, kind, name, **more):
        api.delete(kind, name)


class GoingContents:
    """Contents of snapshots that were deleted before they were taken, and are looked at until they are gone.

    The snapshot controller may let a snapshot go before it has heard that its content is to go too: nobody deletes that
    then. And csi-snapshotter (seen: 8.3.0) overlooks a deletion that is asked for while it creates the snapshot: what
    it writes then is newer than what it was told. It looks again at its next resync (15 min), or at any change.
    The same of groups: the snapshot controller (8.3.0) lets one go without its content whose status does not name it.
    """

    def __init__(self, api: Api, *, kind: Resource = SNAPSHOT_CONTENTS) -> None:
        self._api = api
        self._kind = kind
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
                have_content_gone(self._api, self._kind, name)

    def find(self, name: str) -> Object | None:
        """The content, reminded of if it is there; None once it is gone. Raises ApiError, ApiUnreachable."""
        found = self._api.find(self._kind, name)
        if found is not None:
            self.put_right(found, has_snapshot=True)
        return found

    def _remind(self, name: str) -> None:
        now = time.monotonic()
        if now - self._since.setdefault(name, now) < REMIND_EACH_S:
            return
        self._since[name] = now
        told = {REMINDED: datetime.now(UTC).isoformat(timespec="seconds")}
        self._api.patch(self._kind, name, {"metadata": {"annotations": told}})
