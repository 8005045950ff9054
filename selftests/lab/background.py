"""What a lab does beside a test: in a thread, for as long as a block lasts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def in_background(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """`work` runs until the block ends, which sets the event that it is given; then its end is waited for."""
    ended = threading.Event()
    thread = threading.Thread(target=work, args=(ended,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
