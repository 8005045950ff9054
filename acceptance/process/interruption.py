"""Signals: an interrupted run ends in order, and its cleanup is not cut short."""

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
# In these modules an error between two steps leaves a lock held, or an operation without its end: Python checks for
# signals also after a lock is acquired and before the block that releases it has begun (CPython issue 74174). The next
# caller that needs that lock, such as a request during cleanup, would wait forever.
_TAKE_AND_GIVE_BACK = {
    "threading",
    "queue",
    "logging",
    "contextlib",
    "importlib._bootstrap",
    "acceptance.process.undoing",
}
# The functions of these modules that wait for long; they release what they hold.
_WAITING = {"wait", "join", "_wait_for_tstate_lock"}
_SOON_S = 0.002


class _Urging:
    """The state of urging. It is no Event: a handler that interrupts an Event's method would wait for its lock."""

    came = False
    stderr = 2
    """The file descriptor of the user's stderr, for the request to wait."""


def is_urged() -> bool:
    """Return whether a user interrupted again while a run was ending: then the run stops waiting for answers."""
    return _Urging.came


@contextmanager
def interrupt_once() -> Iterator[None]:
    """Raise KeyboardInterrupt at the first SIGINT, SIGTERM or SIGHUP, so that the run unwinds; ask later ones to wait.

    It is raised at a place that leaves nothing half done: between acquiring and releasing a lock, a moment later.
    After an interruption this holds until the process ends, which then keeps its exit status. The request to wait is
    printed to the original stderr, even while pytest captures it.
    """
    ending = False
    _Urging.stderr = os.dup(2)

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal ending
        if ending:
            _ask_to_wait(number, frame)
            return
        if _is_half_done(frame):
            _thread.start_new_thread(_signal_soon, (number,))  # unlike Thread, it takes no lock
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
    """Return whether the main thread must not be interrupted at this frame."""
    if frame is None:
        return False
    return frame.f_globals.get("__name__") in _TAKE_AND_GIVE_BACK and frame.f_code.co_name not in _WAITING


def _signal_soon(number: int) -> None:
    time.sleep(_SOON_S)
    os.kill(os.getpid(), number)


@contextmanager
def hold_off_signals() -> Iterator[None]:
    """Hold off SIGINT, SIGTERM and SIGHUP: a signal prints the request to wait, and urges the block."""
    with _urged_meanwhile(_ask_to_wait):
        yield


@contextmanager
def put_off() -> Iterator[None]:
    """Hold off signals, of which the first takes effect after the block. In other threads, do nothing."""
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
    """Delay signals until after the block, which must not be left half done.

    Only the main thread is interrupted; in other threads this does nothing.
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
    """Send signals to the handler; reset after the block whether they urged it."""
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
