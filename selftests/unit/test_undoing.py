"""Undoing: whatever ends a block, all that was begun in it is undone, and no error hides another."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from acceptance.process import interruption
from acceptance.process.interruption import interrupt_once, is_urged
from acceptance.process.undoing import Undoing
from acceptance.text.errors import EnvironmentFailure, StorageFailure, notes_of
from selftests.bounds import HANGS_S


@pytest.fixture(autouse=True)
def _handlers_of_the_session() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in interruption.SIGNALS}
    yield
    interruption._Urging.came = False
    for number, handler in before.items():
        signal.signal(number, handler)


def raising(error: BaseException) -> Callable[[], None]:
    def undo() -> None:
        raise error

    return undo


def begun(done: list[str], *stuck: BaseException) -> Undoing:
    """Of two things begun one after the other, with others between them that cannot be undone."""
    undoing = Undoing()
    undoing.callback(lambda: done.append("first"))
    for each in stuck:
        undoing.callback(raising(each), note="the pod stays")
    undoing.callback(lambda: done.append("last"))
    return undoing


def test_at_the_normal_end_what_came_last_goes_first_and_once() -> None:
    done: list[str] = []
    with begun(done) as undoing:
        assert done == []
    assert done == ["last", "first"] and undoing.error is None
    with undoing:
        pass
    assert done == ["last", "first"]


@pytest.mark.parametrize("error", [StorageFailure("it broke"), ValueError("a fault"), KeyboardInterrupt("SIGINT")])
def test_after_an_error_or_an_interruption_too_which_is_heard_of(error: BaseException) -> None:
    done: list[str] = []
    with pytest.raises(type(error)) as caught, begun(done) as undoing:
        raise error
    assert caught.value is error and undoing.error is error and notes_of(error) == []
    assert done == ["last", "first"]


@pytest.mark.parametrize("stuck", [EnvironmentFailure("stuck"), OSError("stuck")])
def test_what_cannot_be_undone_is_the_error_where_there_is_none_and_keeps_nothing_else(stuck: Exception) -> None:
    done: list[str] = []
    with pytest.raises(type(stuck)) as caught, begun(done, EnvironmentFailure("second"), stuck):
        pass
    assert caught.value is stuck and notes_of(stuck) == ["the pod stays: second"]
    assert done == ["last", "first"]


@pytest.mark.parametrize("error", [StorageFailure("it broke"), KeyboardInterrupt("SIGINT")])
def test_what_cannot_be_undone_is_a_note_of_the_error_that_is_on_its_way(error: BaseException) -> None:
    done: list[str] = []
    with pytest.raises(type(error)) as caught, begun(done, EnvironmentFailure("one"), OSError("two")):
        raise error
    assert caught.value is error and notes_of(error) == ["the pod stays: two", "the pod stays: one"]
    assert done == ["last", "first"]


def test_an_interruption_meanwhile_takes_effect_when_all_is_undone(capfd: pytest.CaptureFixture[str]) -> None:
    done: list[str] = []
    undoing = begun(done, EnvironmentFailure("stuck"))
    undoing.callback(lambda: signal.raise_signal(signal.SIGTERM))
    undoing.callback(lambda: done.append("before it"))
    with interrupt_once():
        with pytest.raises(KeyboardInterrupt, match="SIGTERM") as caught, undoing:
            pass
        assert not is_urged()
    assert done == ["before it", "last", "first"] and notes_of(caught.value) == ["stuck"]
    assert capfd.readouterr().err == interruption.PLEASE_WAIT.decode()


def test_a_second_interruption_is_asked_to_wait_and_urges_until_the_run_is_over(
    capfd: pytest.CaptureFixture[str],
) -> None:
    done: list[str] = []
    undoing = begun(done)
    undoing.callback(lambda: signal.raise_signal(signal.SIGINT))
    with interrupt_once():
        with pytest.raises(KeyboardInterrupt, match="SIGTERM") as caught, undoing:
            signal.raise_signal(signal.SIGTERM)
        assert done == ["last", "first"] and notes_of(caught.value) == [] and is_urged()
    assert capfd.readouterr().err == interruption.PLEASE_WAIT.decode()


def test_other_threads_undo_as_well() -> None:
    done: list[str] = []

    def work() -> None:
        with begun(done):
            pass

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=HANGS_S)
    assert done == ["last", "first"]


def test_what_is_passed_on_is_undone_by_whoever_has_it() -> None:
    done: list[str] = []
    with begun(done) as undoing:
        heir = undoing.passed_on()
    assert done == []
    with heir:
        pass
    assert done == ["last", "first"]


def test_a_context_is_left_at_the_end_and_one_that_cannot_be_entered_is_not() -> None:
    done: list[str] = []

    @contextmanager
    def context(error: Exception | None = None) -> Iterator[str]:
        if error:
            raise error
        yield "entered"
        done.append("left")

    with pytest.raises(OSError, match="no"), begun(done) as undoing:
        assert undoing.enter(context()) == "entered"
        undoing.enter(context(OSError("no")))
    assert done == ["left", "last", "first"]
