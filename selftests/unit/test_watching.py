"""The watch: no change is lost, none is told twice, whatever becomes of the connection."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from acceptance.cluster.api_faults import ApiError, ApiUnreachable
from acceptance.cluster.resources import PODS
from acceptance.cluster.streams import StreamBroken
from acceptance.cluster.watching import QUIET_S, Change, Collection, Watch
from selftests.bounds import HANGS_S


def pod(name: str, version: int, uid: str = "") -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": uid or name, "resourceVersion": str(version)}}


def told(changes: Sequence[Change]) -> list[tuple[str, str]]:
    return [(change.kind, change.name) for change in changes]


def test_an_event_that_tells_nothing_new_is_no_change() -> None:
    seen = Collection()
    assert told(seen.apply("added", pod("a", 1))) == [("added", "a")]
    assert told(seen.apply("modified", pod("a", 1))) == []
    assert told(seen.apply("added", pod("a", 2))) == [("modified", "a")]
    assert told(seen.apply("deleted", pod("a", 3))) == [("deleted", "a")]
    assert told(seen.apply("deleted", pod("a", 3))) == []


def test_a_list_tells_only_what_was_missed() -> None:
    seen = Collection()
    for name in ("stays", "changes", "goes"):
        seen.apply("added", pod(name, 1))
    now = [pod("stays", 1), pod("changes", 2), pod("comes", 3)]
    assert told(seen.replace(now)) == [("deleted", "goes"), ("modified", "changes"), ("added", "comes")]
    assert told(seen.replace(now)) == []


def test_a_name_that_was_made_again_is_another_object() -> None:
    seen = Collection()
    seen.apply("added", pod("a", 1, uid="first"))
    assert told(seen.replace([pod("a", 5, uid="second")])) == [("deleted", "a"), ("added", "a")]
    assert seen.objects["a"]["metadata"]["uid"] == "second"


class ScriptedStream:
    """Hands out what it was given, then ends, breaks, or (at the end of the script) waits to be stopped."""

    def __init__(self, events: Sequence[Any], stopped: threading.Event) -> None:
        self._events = events
        self._stopped = stopped

    def documents(self) -> Iterator[dict[str, Any]]:
        for event in self._events:
            if isinstance(event, Exception):
                raise event
            if isinstance(event, float):
                self._stopped.wait(event)
                continue
            if event == "wait":
                self._stopped.wait(HANGS_S)
                return
            yield event

    def stop(self) -> None:
        self._stopped.set()


class ScriptedApi:
    """An API server with a script: one list of pods a `snapshot`, one stream or error a `watch`."""

    def __init__(self, snapshots: Sequence[tuple[list[Any], str]], streams: Sequence[Any]) -> None:
        self.snapshots, self.streams = list(snapshots), list(streams)
        self.asked: list[str] = []
        self.stopped = threading.Event()

    def snapshot(self, resource: object, *, slim: Callable[[Any], Any], **selection: object) -> tuple[list[Any], str]:
        self.asked.append("list")
        items, version = self.snapshots.pop(0)
        return list(map(slim, items)), version

    def watch(self, resource: object, *, version: str, **selection: object) -> ScriptedStream:
        self.asked.append(f"watch from {version}")
        stream = self.streams.pop(0)
        if isinstance(stream, Exception):
            raise stream
        return ScriptedStream(stream, self.stopped)


def event(kind: str, seen: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "object": seen}


def watched(api: ScriptedApi, *, until: tuple[str, str]) -> list[tuple[str, str]]:
    """What a watch tells until it has told `until`."""
    changes: list[Change] = []
    seen = threading.Event()

    def take(change: Change) -> None:
        changes.append(change)
        if (change.kind, change.name) == until:
            seen.set()

    with Watch(api, PODS, namespace="ns", on_change=take) as watch:  # type: ignore[arg-type]
        assert seen.wait(HANGS_S), (told(changes), watch.error)
    return told(changes)


def test_it_goes_on_where_it_was_when_the_server_ends_it() -> None:
    bookmark = event("BOOKMARK", {"metadata": {"resourceVersion": "7"}})
    api = ScriptedApi(
        [([pod("a", 1)], "5")], [[event("MODIFIED", pod("a", 6)), bookmark], [event("ADDED", pod("b", 8)), "wait"]]
    )
    assert watched(api, until=("added", "b")) == [("added", "a"), ("modified", "a"), ("added", "b")]
    assert api.asked == ["list", "watch from 5", "watch from 7"]


def test_it_goes_on_where_it_was_when_the_connection_breaks() -> None:
    """The server tells again what was told before the break: it is not told twice."""
    api = ScriptedApi(
        [([], "5")],
        [
            [event("ADDED", pod("a", 6)), StreamBroken("reset")],
            ApiUnreachable("refused"),
            [event("ADDED", pod("a", 6)), event("ADDED", pod("b", 7)), "wait"],
        ],
    )
    assert watched(api, until=("added", "b")) == [("added", "a"), ("added", "b")]
    assert api.asked == ["list", "watch from 5", "watch from 6", "watch from 6"]


def expired() -> ApiError:
    return ApiError(status=410, request="GET /pods", message="too old resource version")


def test_when_the_server_has_forgotten_it_lists_again_and_tells_what_was_missed() -> None:
    for forgotten in (expired(), [{"type": "ERROR", "object": {"code": 410, "message": "too old"}}]):
        api = ScriptedApi(
            [([pod("a", 1), pod("b", 2)], "5"), ([pod("a", 9), pod("c", 8)], "10")],
            [forgotten, [event("ADDED", pod("d", 11)), "wait"]],
        )
        assert watched(api, until=("added", "d")) == [
            ("added", "a"),
            ("added", "b"),
            ("deleted", "b"),
            ("modified", "a"),
            ("added", "c"),
            ("added", "d"),
        ]
        assert api.asked == ["list", "watch from 5", "list", "watch from 10"]


def test_what_happened_during_a_break_is_told_late_and_what_came_after_it_is_not() -> None:
    quiet = QUIET_S + 0.1
    api = ScriptedApi(
        [([pod("a", 1)], "5"), ([pod("a", 1), pod("b", 7)], "8")],
        [
            [event("ADDED", pod("c", 6)), StreamBroken("reset")],
            [event("ADDED", pod("d", 7)), event("ADDED", pod("e", 8)), quiet, event("ADDED", pod("f", 9)), "wait"],
        ],
    )
    late: dict[str, bool] = {}
    seen = threading.Event()

    def take(change: Change) -> None:
        late[change.name] = change.late
        if change.name == "f":
            seen.set()

    with Watch(api, PODS, namespace="ns", on_change=take) as watch:  # type: ignore[arg-type]
        assert seen.wait(HANGS_S), late
        assert not watch.is_behind
    assert late == {"a": False, "c": False, "d": True, "e": True, "f": False}


def test_of_large_objects_only_the_slim_form_is_kept_and_told() -> None:
    changes: list[Change] = []
    api = ScriptedApi([([pod("a", 1)], "5")], [[event("ADDED", pod("b", 6) | {"spec": "large"}), "wait"]])
    with Watch(
        api,  # type: ignore[arg-type]
        PODS,
        namespace="ns",
        slim=lambda seen: {"metadata": seen["metadata"]},
        on_change=changes.append,
    ):
        while len(changes) < 2:
            threading.Event().wait(0.01)
    assert [set(change.item) for change in changes] == [{"metadata"}, {"metadata"}]


def test_what_is_forbidden_ends_it_and_is_kept() -> None:
    api = ScriptedApi([([], "5")], [ApiError(status=403, request="GET /pods", message="forbidden")])
    with Watch(api, PODS, namespace="ns", on_change=lambda change: None) as watch:  # type: ignore[arg-type]
        watch._thread.join(HANGS_S)
        assert isinstance(watch.error, ApiError) and watch.error.status == 403
