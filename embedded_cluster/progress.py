"""The output of `up` and `down` while they work: one line a step, with its seconds."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def step(title: str) -> Iterator[None]:
    """Print `title` and how many seconds the block took; steps may run next to each other."""
    began_s = time.monotonic()
    outcome = "failed"
    try:
        yield
        outcome = ""
    finally:
        print(f"{time.monotonic() - began_s:7.1f} s  {title} {outcome}".rstrip(), flush=True)


def say(text: str) -> None:
    """Print one line now, also if the output is a pipe."""
    print(text, file=sys.stdout, flush=True)
