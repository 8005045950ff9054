"""VolumeSnapshotContents pending deletion; controllers that missed the deletion are reminded."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import GROUP_CONTENTS, SNAPSHOT_CONTENTS, Object, Resource

GOES = {"spec": {"deletionPolicy": "Delete"}}
"""A patch that has a content deleted with its snapshot, whatever its class says."""
REMINDER_ANNOTATION = "storage-acceptance/reminded-at"
REMIND_EACH_S = 5.0
# By it the snapshot controller hands a group's content to csi-snapshotter, which otherwise ignores its deletion.
_GIVEN_UP = {"groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted": "yes"}


def let_content_go(api: Api, kind: Resource, name: str, **more: Object) -> bool:
    """Have a content deleted with its snapshot, and change `more`; return whether it exists. Raises ApiError."""
    try:
        api.patch(kind, name, GOES | more)
    except ApiError as error:
        if error.status != 404:
            raise
        return False
    return True


def have_content_gone(api: Api, kind: Resource, name: str) -> None:
    """Delete the content of a snapshot, or of a group, that was deleted without it. Raises ApiError."""
    more: dict[str, Object] = {"metadata": {"annotations": _GIVEN_UP}} if kind.plural == GROUP_CONTENTS.plural else {}
    if let_content_go(api, kind, name, **more):
        api.delete(kind, name)


class GoingContents:
    """Contents of snapshots that were deleted before they were taken, polled until they no longer exist.

    The snapshot controller may release a snapshot before it is notified that its content is to be deleted too: no
    controller deletes the content then. And csi-snapshotter (seen: 8.3.0) misses a deletion that is requested while it
    creates the snapshot, because its next write is newer than the notification. It looks again at its next resync (15
    min), or at any change. Groups have the same fault: the snapshot controller (8.3.0) releases one without its content
    if its status does not name it.
    """

    def __init__(self, api: Api, *, kind: Resource = SNAPSHOT_CONTENTS) -> None:
        self._api = api
        self._kind = kind
        self._since: dict[str, float] = {}

    def put_right(self, content: Object, *, has_snapshot: bool) -> None:
        """Delete a content whose snapshot was deleted without it; change one that stays, every REMIND_EACH_S.

        Raises ApiUnreachable.
        """
        name = name_of(content)
        with suppress(ApiError):  # deleted since, or no permission: the wait continues anyway
            if "deletionTimestamp" in content["metadata"]:
                self._remind(name)
            elif not has_snapshot:
                have_content_gone(self._api, self._kind, name)

    def find(self, name: str) -> Object | None:
        """Return the content after a reminder, or None if it no longer exists. Raises ApiError, ApiUnreachable."""
        content = self._api.find(self._kind, name)
        if content is not None:
            self.put_right(content, has_snapshot=True)
        return content

    def _remind(self, name: str) -> None:
        now = time.monotonic()
        if now - self._since.setdefault(name, now) < REMIND_EACH_S:
            return
        self._since[name] = now
        annotations = {REMINDER_ANNOTATION: datetime.now(UTC).isoformat(timespec="seconds")}
        self._api.patch(self._kind, name, {"metadata": {"annotations": annotations}})
