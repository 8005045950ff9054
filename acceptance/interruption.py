"""Signals: a run that is asked to end ends in order, and its cleaning up is not cut short."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def end_on_sigterm() -> Iterator[None]:
    """Treat SIGTERM as Ctrl-C: the run unwinds through all its cleaning up."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt("SIGTERM")

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def undisturbed(say: Callable[[str], None]) -> Iterator[None]:
    """Hold off SIGINT and SIGTERM: whoever sends one is told that the run is cleaning up."""

    def hold_off(number: int, frame: FrameType | None) -> None:
        say("cleaning up, please wait: what is not removed now would stay in the cluster")

    before = {number: signal.signal(number, hold_off) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
