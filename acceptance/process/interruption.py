"""Signals: a run that is asked to end ends in order, and its cleaning up is not cut short."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], None]
PLEASE_WAIT = (
    b"\nInterrupted: cleaning up, please wait. Killing the process leaves resources behind (remove them with "
    b"`python -m acceptance cleanup`).\n"
)
_urged = threading.Event()


def is_urged() -> bool:
    """Whether someone asked again while a run was ending: what does not answer is then waited for no longer."""
    return _urged.is_set()


@contextmanager
def interrupt_once() -> Iterator[None]:
    """The first SIGINT, SIGTERM or SIGHUP raises KeyboardInterrupt, and the run unwinds; later ones are asked to wait.

    After an interruption that stays so until the process ends, which then keeps its exit status.
    """
    ending = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal ending
        if ending:
            _ask_to_wait(number, frame)
            return
        ending = True
        raise KeyboardInterrupt(signal.Signals(number).name)

    before = _handle_by(interrupt)
    try:
        yield
    finally:
        if not ending:
            _restore(before)


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
            _urged.clear()


def _ask_to_wait(number: int, frame: FrameType | None) -> None:
    _urged.set()
    os.write(2, PLEASE_WAIT)  # a handler may not use Python's buffered streams: it may have interrupted them


def _handle_by(handler: Handler) -> dict[int, Any]:
    return {number: signal.signal(number, handler) for number in SIGNALS}


def _restore(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
