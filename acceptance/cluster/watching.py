"""Objects kept up to date by one watch, whatever happens to the connection: no change is lost, none is told twice."""

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
EXPIRED = 410
# Before a watch is taken up again: after the server ended it, and after it broke.
AGAIN_S, PAUSE_S = 0.1, 1.0
# After a break the server tells at once what happened meanwhile; it has caught up when it is quiet for so long, or else
# after the second.
QUIET_S, CATCHING_UP_S = 0.3, 10.0


@dataclass(frozen=True, kw_only=True)
class Change:
    """What became of one object, and the object as it was seen then (for `deleted`, for the last time).

    `late`: it happened while the connection was broken, some time before it was told.
    """

    kind: Kind
    seen: Object
    late: bool = False

    @property
    def name(self) -> str:
        """The object's name."""
        return name_of(self.seen)


class Collection:
    """The objects as last seen, by uid: an object that is made again under its old name is another one."""

    def __init__(self) -> None:
        self._known: dict[str, Object] = {}

    @property
    def objects(self) -> dict[str, Object]:
        """By name."""
        return {name_of(each): each for each in self._known.values()}

    def apply(self, kind: Kind, seen: Object) -> list[Change]:
        """Take one event of a watch; the change that it is, or none where it tells nothing new."""
        uid = seen["metadata"]["uid"]
        before = self._known.get(uid)
        if kind == "deleted":
            return [] if self._known.pop(uid, None) is None else [Change(kind=kind, seen=seen)]
        if before is not None and _version(before) == _version(seen):
            return []
        self._known[uid] = seen
        return [Change(kind="added" if before is None else "modified", seen=seen)]

    def replace(self, items: Iterable[Object]) -> list[Change]:
        """Take all objects as they are now; the changes that were missed, deletions first."""
        now = {item["metadata"]["uid"]: item for item in items}
        gone = [Change(kind="deleted", seen=self._known.pop(uid)) for uid in list(self._known) if uid not in now]
        return gone + [change for item in now.values() for change in self.apply("modified", item)]


class Watch:
    """Tells `on_change` of each change of the objects, in the order in which they happened, from a thread of its own.

    One list and one watch, in a `with` block; after a break the watch goes on where it was, and lists again only when
    the server has forgotten that (410). What happened in between is then told as the one change that it amounts to.
    `slim` is what is kept and told of an object, with its name, uid and version at least, where all of it would be too
    much. `error` is what ended it before its time, None while it is well.
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
        self._broken = self._catching_up = False
        self._last_s = 0.0
        self._stream: Stream | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, name=f"watch of {resource.plural}", daemon=True)
        self.error: AcceptanceError | None = None

    def __enter__(self) -> Self:
        """Begins with what there is. Raises ApiError, ApiUnreachable."""
        self._list()
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        if self._stream is not None:
            with suppress(OSError, ValueError):  # it has just ended by itself
                self._stream.stop()
        self._thread.join(timeout=5)

    @property
    def is_behind(self) -> bool:
        """Whether something may have happened that was not told yet: the connection is broken or just was."""
        return self._broken or (self._catching_up and time.monotonic() - self._last_s < QUIET_S)

    def _list(self) -> None:
        items, self._version = self._api.snapshot(
            self._resource, namespace=self._namespace, slim=self._slim, **self._selectors
        )
        self._tell(self._collection.replace(items), late=self._broken)

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                if not self._version:
                    self._list()
                self._take_events()
                self._ended.wait(AGAIN_S)
            except (ApiUnreachable, StreamBroken):
                self._broken = True
                self._ended.wait(PAUSE_S)
            except ApiError as error:
                self._broken = True
                if error.status == EXPIRED:
                    self._version = ""
                elif error.is_passing:
                    self._ended.wait(PAUSE_S)
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
        if self._ended.is_set():
            self._stream.stop()
        opened_s = self._last_s = time.monotonic()
        self._catching_up, self._broken = self._broken, False
        for event in self._stream.documents():
            self._catching_up = self.is_behind and time.monotonic() - opened_s < CATCHING_UP_S
            self._last_s = time.monotonic()
            if event["type"] == "ERROR":
                status = event["object"]
                raise ApiError(
                    status=int(status.get("code") or 0) or EXPIRED,
                    request=f"the watch of {self._resource.plural}",
                    message=str(status.get("message")),
                )
            if event["type"] in _KINDS:
                self._tell(
                    self._collection.apply(_KINDS[event["type"]], self._slim(event["object"])), late=self._catching_up
                )
            self._version = _version(event["object"])  # a bookmark carries nothing but this
            if self._ended.is_set():
                return

    def _tell(self, changes: Iterable[Change], *, late: bool) -> None:
        for change in changes:
            self._on_change(replace(change, late=True) if late else change)


def _version(seen: Object) -> str:
    return str(seen["metadata"]["resourceVersion"])
