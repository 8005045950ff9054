"""Listening to many pods: a stream that breaks or ends is taken up again, and what the pod printed counts once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.trials.scaling import pod_listening
from acceptance.trials.scaling.pod_listening import Listener
from acceptance.trials.scaling.pod_log import PodLog
from selftests.bounds import HANGS_S

SO_FAR = ("ready", "begin 1", "end 1 0", "begin 2")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_listening, "AGAIN_S", 0.01)


class ScriptedApi:
    """One list of lines for each time that the log is asked for; an exception breaks the stream there.

    Beyond the last list nothing comes. `after` is called when a line was taken.
    """

    def __init__(self, streams: Sequence[Sequence[Any]]) -> None:
        self.streams = list(streams)
        self.after: Callable[[], object] = lambda: None

    def follow_log(self, pod: str, **how: object) -> Iterator[bytes]:
        for piece in self.streams.pop(0) if self.streams else ():
            if isinstance(piece, Exception):
                raise piece
            yield piece
            self.after()


def marks(*words: str, first: int = 0) -> list[bytes]:
    """The lines as the node stamps them; `first` is the number of the first in the log."""
    return [
        f"2026-11-22T01:02:03.{number:09}Z storage-acceptance: {each}\n".encode()
        for number, each in enumerate(words, start=first)
    ]


def listener_to(api: ScriptedApi) -> tuple[closing[Listener], threading.Condition]:
    changed = threading.Condition()
    return closing(Listener(cast(Api, api), namespace="ns", condition=changed)), changed


@pytest.mark.parametrize("ending", [[ApiUnreachable("reset")], []], ids=["breaks", "ends"])
def test_a_stream_that_stops_is_taken_up_again_where_it_was_left(ending: list[Exception]) -> None:
    api = ScriptedApi([[*marks(*SO_FAR), *ending], marks(*SO_FAR, "end 2 0", "begin 3")])
    seen: list[int | None] = []
    listening, changed = listener_to(api)
    with listening as listener:
        api.after = lambda: seen.append(listener.log("pod").number)
        with changed:
            listener.follow("pod")
            assert changed.wait_for(lambda: listener.log("pod").number == 3, timeout=HANGS_S)
    assert seen[:8] == [None, 1, 1, 2, 2, 2, 2, 2]


def test_a_log_that_is_further_at_once_is_seen() -> None:
    """The pieces of a log that is read again are large: one may hold the end of a step and the next."""
    again = b"".join(marks(*SO_FAR, "end 2 0", "begin 3", "end 3 0"))
    listening, changed = listener_to(ScriptedApi([[*marks(*SO_FAR), ApiUnreachable("reset")], [again]]))
    with listening as listener, changed:
        listener.follow("pod")
        assert changed.wait_for(lambda: listener.log("pod").number == 3, timeout=HANGS_S)


def test_a_pod_that_was_started_again_is_seen_as_such() -> None:
    anew = marks("restarted", first=7)
    streams: list[list[Any]] = [[*marks("ready", "begin 1"), ApiUnreachable("reset")], anew, anew]
    listening, changed = listener_to(ScriptedApi(streams))
    with listening as listener, changed:
        listener.follow("pod")
        assert changed.wait_for(lambda: listener.log("pod").has_restarted, timeout=HANGS_S)


def test_a_log_that_the_node_cut_off_meanwhile_is_known_as_such() -> None:
    rest = marks("end 2 0", "begin 3", first=7)
    listening, changed = listener_to(ScriptedApi([[*marks(*SO_FAR), ApiUnreachable("reset")], rest, rest]))
    with listening as listener, changed:
        listener.follow("pod")
        assert changed.wait_for(lambda: listener.log("pod").cut_off, timeout=HANGS_S)


def test_what_the_node_cut_off_after_it_was_read_is_not_missed() -> None:
    rest = marks("begin 2", "end 2 0", first=3)
    listening, changed = listener_to(ScriptedApi([[*marks(*SO_FAR), ApiUnreachable("reset")], rest]))
    with listening as listener, changed:
        listener.follow("pod")
        assert changed.wait_for(lambda: ended(listener.log("pod")), timeout=HANGS_S)
        assert listener.log("pod").ready and not listener.log("pod").cut_off


def ended(log: PodLog) -> bool:
    return log.step is not None and log.step.status == 0


def test_a_pod_that_ended_is_left_and_followed_again_when_it_runs_again() -> None:
    others = set(threading.enumerate())  # those of earlier tests may still be ending
    api = ScriptedApi([marks("ready", "begin 1")])
    listening, changed = listener_to(api)
    with listening as listener:
        with changed:
            listener.follow("pod")
            assert changed.wait_for(lambda: listener.log("pod").number == 1, timeout=HANGS_S)
        (thread,) = [each for each in set(threading.enumerate()) - others if each.name == "log of pod"]
        listener.leave("pod")
        thread.join(timeout=HANGS_S)
        assert not thread.is_alive()
        assert listener.log("pod").number == 1
        anew = marks("restarted", "ready", first=7)
        api.streams += [anew[:1], anew]
        with changed:
            listener.follow("pod")
            assert changed.wait_for(
                lambda: listener.log("pod").has_restarted and listener.log("pod").ready, timeout=HANGS_S
            )
