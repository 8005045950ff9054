"""The one loop under every wait; nothing else in the suite sleeps. `acceptance.cluster.waiting` waits for a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential

from acceptance.text.errors import EnvironmentFailure

T = TypeVar("T")


class NotYet(Exception):
    """Raised by what is tried: it is not ready, and may well be later."""


def try_until(attempt: Callable[[], T], *, over: Callable[[float], bool]) -> T:
    """Call `attempt` until it raises no NotYet, and return what it returns: every 0.1 s at first, every 1 s later.

    `over` is told how many seconds will have passed at the next try; where it says so, the last NotYet is raised.
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


def wait_until(what: str, is_so: Callable[[], bool], *, timeout_s: float, otherwise: str) -> None:
    """Wait until it is so. `what` says in words what is waited for, `otherwise` the state in which it is not so.

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
        raise EnvironmentFailure(f"waited {waited_s:.0f} s for {what}; last state: {otherwise}") from None
