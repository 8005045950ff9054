"""Listening to many pods: a stream that breaks is taken up again, and what the pod printed counts once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from acceptance.cluster.api import Api, ApiUnreachable
from acceptance.scaling.pod_listening import Listener


class ScriptedApi:
    """One list of pieces for each time that the log is asked for; an exception breaks the stream there.

    `after` is called when a piece was taken.
    """

    def __init__(self, streams: Sequence[Sequence[Any]]) -> None:
        self.streams = list(streams)
        self.after: Callable[[], object] = lambda: None

    def follow_log(self, pod: str, **how: object) -> Iterator[bytes]:
        for piece in self.streams.pop(0):
            if isinstance(piece, Exception):
                raise piece
            yield piece
            self.after()


def mark(words: str) -> bytes:
    return f"\nstorage-acceptance: {words}\n".encode()


def test_a_stream_that_breaks_is_taken_up_again_and_seen_once_it_is_as_far() -> None:
    so_far = [mark("ready"), mark("begin 1"), mark("end 1 0"), mark("begin 2")]
    api = ScriptedApi([[*so_far, ApiUnreachable("reset")], [*so_far, mark("end 2 0"), mark("begin 3")]])
    changed, seen = threading.Condition(), []
    listener = Listener(cast(Api, api), namespace="ns", changed=changed)
    api.after = lambda: seen.append(listener.log("pod").number)
    with changed:
        listener.follow("pod")
        assert changed.wait_for(lambda: listener.log("pod").number == 3, timeout=10)
    assert seen[:8] == [None, 1, 1, 2, 2, 2, 2, 2]


def test_a_pod_that_was_started_again_is_seen_as_such() -> None:
    changed = threading.Condition()
    streams = [[mark("ready"), mark("begin 1"), ApiUnreachable("reset")], [mark("restarted")]]
    listener = Listener(cast(Api, ScriptedApi(streams)), namespace="ns", changed=changed)
    with changed:
        listener.follow("pod")
        assert changed.wait_for(lambda: listener.log("pod").restarted, timeout=10)
