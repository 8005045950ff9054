"""The loop below every wait; no other code of the suite sleeps. `acceptance.cluster.waiting` waits for a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential

from acceptance.text.errors import EnvironmentFailure

T = TypeVar("T")


class NotYet(Exception):
    """The error that an attempt raises if something is not ready yet, but may be later."""


def try_until(attempt: Callable[[], T], *, over: Callable[[float], bool]) -> T:
    """Call `attempt` until it raises no NotYet, and return its value: every 0.1 s at first, every 1 s later.

    `over` takes the seconds that will have passed at the next attempt; if it returns True, the last NotYet is raised.
    """

    def stop(tries: RetryCallState) -> bool:
        return over((tries.seconds_since_start or 0.0) + tries.upcoming_sleep)

    tries = Retrying(
        retry=retry_if_exception_type(NotYet),
        stop=stop,
        wait=wait_exponential(multiplier=0.1, exp_base=1.3, max=1.0),
        reraise=True,
    )
    return tries(attempt)


def wait_until(description: str, is_so: Callable[[], bool], *, timeout_s: float, otherwise: str) -> None:
    """Wait until `is_so` returns True. `description` is the awaited state in words, `otherwise` the state before it.

    Raises EnvironmentFailure at the deadline.
    """

    def attempt() -> None:
        if not is_so():
            raise NotYet

    began = time.monotonic()
    try:
        try_until(attempt, over=lambda passed_s: passed_s >= timeout_s)
    except NotYet:
        waited_s = time.monotonic() - began
        raise EnvironmentFailure(f"waited {waited_s:.0f} s for {description}; last state: {otherwise}") from None
