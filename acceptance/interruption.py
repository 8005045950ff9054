"""Signals: a run that is asked to end ends in order, and its cleaning up is not cut short."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = b"\nending in order, please wait: what is not removed now would stay in the cluster\n"


@contextmanager
def interrupt_once() -> Iterator[None]:
    """The first SIGINT or SIGTERM raises KeyboardInterrupt, and the run unwinds; later ones only ask for patience."""
    ending = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal ending
        if ending:
            _ask_for_patience(number, frame)
            return
        ending = True
        raise KeyboardInterrupt(signal.Signals(number).name)

    with _handled_by(interrupt):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold off SIGINT and SIGTERM: whoever sends one is asked for patience."""
    with _handled_by(_ask_for_patience):
        yield


def _ask_for_patience(number: int, frame: FrameType | None) -> None:
    os.write(2, PATIENCE)  # a handler may not use Python's buffered streams: it may have interrupted them


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
