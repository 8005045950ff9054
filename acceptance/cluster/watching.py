"""Objects kept up to date by one watch, whatever happens to the connection: no change is lost or reported twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, Self

from acceptance.cluster.api import Api, whole
from acceptance.cluster.api_faults import ApiError, ApiUnreachable
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import Object, Resource
from acceptance.cluster.streams import Stream, StreamBroken
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, unforeseen

Kind = Literal["added", "modified", "deleted"]
_KINDS: dict[str, Kind] = {"ADDED": "added", "MODIFIED": "modified", "DELETED": "deleted"}
GONE_STATUS = 410
# Pauses before a watch is resumed: after the server ended it, and after it broke.
AGAIN_S, PAUSE_S = 0.1, 1.0
# After a break the server sends immediately what happened meanwhile; it has caught up after a silence of the first, or
# else after the second.
QUIET_S, CATCHING_UP_S = 0.3, 10.0


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of one object, and the object then (for `deleted`, as it was last).

    `late`: it happened while the connection was broken, some time before it was reported.
    """

    kind: Kind
    item: Object
    late: bool = False

    @property
    def name(self) -> str:
        """Return the object's name."""
        return name_of(self.item)


class Collection:
    """The objects as last observed, by uid: an object that is recreated under its old name is another one."""

    def __init__(self) -> None:
        self._items: dict[str, Object] = {}

    @property
    def objects(self) -> dict[str, Object]:
        """Return the objects by name."""
        return {name_of(item): item for item in self._items.values()}

    def apply(self, kind: Kind, item: Object) -> list[Change]:
        """Apply one event of a watch; return the change that it is, or none if it contains nothing new."""
        uid = item["metadata"]["uid"]
        before = self._items.get(uid)
        if kind == "deleted":
            return [] if self._items.pop(uid, None) is None else [Change(kind=kind, item=item)]
        if before is not None and _version(before) == _version(item):
            return []
        self._items[uid] = item
        return [Change(kind="added" if before is None else "modified", item=item)]

    def replace(self, items: Iterable[Object]) -> list[Change]:
        """Replace all objects by the present ones; return the changes that were missed, deletions first."""
        now = {item["metadata"]["uid"]: item for item in items}
        deletions = [Change(kind="deleted", item=self._items.pop(uid)) for uid in list(self._items) if uid not in now]
        return deletions + [change for item in now.values() for change in self.apply("modified", item)]


class Watch:
    """A watch that calls `on_change` with each change of the objects, in the order of the changes, from its own thread.

    One list and one watch, in a `with` block; after a break the watch continues where it was, and lists again only if
    the server no longer has that version (410). Changes in between are then reported as the one change that they amount
    to. `slim` returns the part of an object to keep and report, with its name, uid and version at least, if all of it
    would be too much. `error` is what ended the watch before its time, None while it is well.
    """

    def __init__(
        self,
        api: Api,
        resource: Resource,
        *,
        namespace: str | None,
        labels: str = "",
        fields: str = "",
        slim: Callable[[Object], Object] = whole,
        on_change: Callable[[Change], None],
    ) -> None:
        self._api = api
        self._resource = resource
        self._namespace = namespace
        self._selectors = {"labels": labels, "fields": fields}
        self._slim = slim
        self._on_change = on_change
        self._collection = Collection()
        self._version = ""
        self._is_broken = self._catching_up = False
        self._last_s = 0.0
        self._stream: Stream | None = None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._follow, name=f"watch of {resource.plural}", daemon=True)
        self.error: AcceptanceError | None = None

    def __enter__(self) -> Self:
        """Begin with the existing objects. Raises ApiError, ApiUnreachable."""
        self._list()
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._end.set()
        if self._stream is not None:
            with suppress(OSError, ValueError):  # it has just ended by itself
                self._stream.stop()
        self._thread.join(timeout=5)

    @property
    def is_behind(self) -> bool:
        """Return whether a change may not have been reported yet: the connection is broken or just was."""
        return self._is_broken or (self._catching_up and time.monotonic() - self._last_s < QUIET_S)

    def _list(self) -> None:
        items, self._version = self._api.snapshot(
            self._resource, namespace=self._namespace, slim=self._slim, **self._selectors
        )
        self._tell(self._collection.replace(items), late=self._is_broken)

    def _follow(self) -> None:
        while not self._end.is_set():
            try:
                if not self._version:
                    self._list()
                self._take_events()
                self._end.wait(AGAIN_S)
            except (ApiUnreachable, StreamBroken):
                self._is_broken = True
                self._end.wait(PAUSE_S)
            except ApiError as error:
                self._is_broken = True
                if error.status == GONE_STATUS:
                    self._version = ""
                elif error.is_passing:
                    self._end.wait(PAUSE_S)
                else:
                    self.error = error
                    return
            except AcceptanceError as error:
                self.error = error
                return
            except Exception as error:  # a thread that dies in silence would leave everyone waiting
                self.error = EnvironmentFailure(f"the watch of {self._resource.plural} ended: {unforeseen(error)}")
                return

    def _take_events(self) -> None:
        self._stream = self._api.watch(
            self._resource, namespace=self._namespace, version=self._version, **self._selectors
        )
        if self._end.is_set():
            self._stream.stop()
        opened_s = self._last_s = time.monotonic()
        self._catching_up, self._is_broken = self._is_broken, False
        for event in self._stream.documents():
            self._catching_up = self.is_behind and time.monotonic() - opened_s < CATCHING_UP_S
            self._last_s = time.monotonic()
            if event["type"] == "ERROR":
                status = event["object"]
                raise ApiError(
                    status=int(status.get("code") or 0) or GONE_STATUS,
                    request=f"the watch of {self._resource.plural}",
                    message=str(status.get("message")),
                )
            if event["type"] in _KINDS:
                self._tell(
                    self._collection.apply(_KINDS[event["type"]], self._slim(event["object"])), late=self._catching_up
                )
            self._version = _version(event["object"])  # a bookmark carries nothing but this
            if self._end.is_set():
                return

    def _tell(self, changes: Iterable[Change], *, late: bool) -> None:
        for change in changes:
            self._on_change(replace(change, late=True) if late else change)


def _version(item: Object) -> str:
    return str(item["metadata"]["resourceVersion"])
