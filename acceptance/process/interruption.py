"""Signals: a run that is asked to end ends in order, and its cleaning up is not cut short."""

from __future__ import annotations

import _thread
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from acceptance.text.program import PROGRAM

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], None]
PLEASE_WAIT = (
    "\nInterrupted: cleaning up, please wait. Killing the process leaves resources behind (remove them with "
    f"`{PROGRAM} cleanup`).\n"
).encode()
# In these modules an error between two steps leaves a lock held, or what was begun without an end: Python looks for
# signals also after a lock was taken and before the block that gives it back has begun (CPython issue 74174). The next
# one who wants that lock, such as a request while cleaning up, would wait for ever.
_TAKE_AND_GIVE_BACK = {
    "threading",
    "queue",
    "logging",
    "contextlib",
    "importlib._bootstrap",
    "acceptance.process.undoing",
}
# Of those, what waits for long; it gives back what it holds.
_WAITING = {"wait", "join", "_wait_for_tstate_lock"}
_SOON_S = 0.002


class _Urging:
    """No Event: a handler that interrupted one of its methods would wait for the lock that this one holds."""

    came = False
    stderr = 2
    """The file descriptor of who is asked to wait."""


def is_urged() -> bool:
    """Whether someone asked again while a run was ending: what does not answer is then waited for no longer."""
    return _Urging.came


@contextmanager
def interrupt_once() -> Iterator[None]:
    """The first SIGINT, SIGTERM or SIGHUP raises KeyboardInterrupt, and the run unwinds; later ones are asked to wait.

    It is raised where nothing is left half done: between taking a lock and giving it back, a moment later.
    After an interruption that stays so until the process ends, which then keeps its exit status. Whoever is asked to
    wait is asked on what is stderr now, also while a test has another in its place, of which nobody is shown anything.
    """
    ending = False
    _Urging.stderr = os.dup(2)

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal ending
        if ending:
            _ask_to_wait(number, frame)
            return
        if _is_half_done(frame):
            _thread.start_new_thread(_signal_soon, (number,))  # takes no lock, as Thread does
            return
        ending = True
        raise KeyboardInterrupt(signal.Signals(number).name)

    before = _handle_by(interrupt)
    try:
        yield
    finally:
        if not ending:
            _restore(before)
            os.close(_Urging.stderr)
            _Urging.stderr = 2


def _is_half_done(frame: FrameType | None) -> bool:
    """Whether what runs in the main thread must not be broken off there."""
    if frame is None:
        return False
    return frame.f_globals.get("__name__") in _TAKE_AND_GIVE_BACK and frame.f_code.co_name not in _WAITING


def _signal_soon(number: int) -> None:
    time.sleep(_SOON_S)
    os.kill(os.getpid(), number)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold off SIGINT, SIGTERM and SIGHUP: whoever sends one is asked to wait, and urges what is done here."""
    with _urged_meanwhile(_ask_to_wait):
        yield


@contextmanager
def put_off() -> Iterator[None]:
    """The same, and the first of them takes effect after the block. In other threads than the main one, nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        _ask_to_wait(number, frame)

    try:
        with _urged_meanwhile(note):
            yield
    finally:
        if came:
            signal.raise_signal(came[0])


@contextmanager
def held_back() -> Iterator[None]:
    """Have a signal take effect only after the block, which must not be left half done.

    Only the main thread is interrupted; in others this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = _handle_by(lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        _restore(before)
        for number in came:
            signal.raise_signal(number)


@contextmanager
def _urged_meanwhile(handler: Handler) -> Iterator[None]:
    """Signals go to the handler; what it urged is forgotten after the block."""
    before, was_urged = _handle_by(handler), is_urged()
    try:
        yield
    finally:
        _restore(before)
        if not was_urged:
            _Urging.came = False


def _ask_to_wait(number: int, frame: FrameType | None) -> None:
    _Urging.came = True
    # A handler may not use Python's buffered streams: it may have interrupted them.
    os.write(_Urging.stderr, PLEASE_WAIT)


def _handle_by(handler: Handler) -> dict[int, Any]:
    return {number: signal.signal(number, handler) for number in SIGNALS}


def _restore(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
