"""The one way to wait. Nothing else in the suite sleeps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_before_delay, wait_exponential

from acceptance.cluster.api import ApiError, ApiUnreachable
from acceptance.errors import AcceptanceError, EnvironmentFailure, StorageFailure

T = TypeVar("T")


class _NotYet(Exception):
    pass


def wait_for(
    what: str,
    *,
    look: Callable[[], T],
    ready: Callable[[T], bool],
    timeout_s: float,
    state: Callable[[T], str],
    fatal: Callable[[T], AcceptanceError | None] = lambda seen: None,
    events: Callable[[], list[str]] = list,
    failure: type[AcceptanceError] = StorageFailure,
) -> T:
    """Look until it is ready, and return what was seen then.

    `what` says in words what is waited for ("claim data-1 to be bound"); `state` puts what was seen into words;
    `fatal` returns the error that ends the wait at once, for states that never get better; `events` gives the
    object's recent events. Looks every 0.1 s at first, every 1 s later.

    Raises `failure` at the deadline, naming the wanted state, the last state, the last API error and the events;
    EnvironmentFailure when the API server was out of reach at the end.
    """
    began = time.monotonic()
    last_state = "nothing seen yet"
    last_error: AcceptanceError | None = None

    def attempt() -> T:
        nonlocal last_state, last_error
        try:
            seen = look()
        except (ApiError, ApiUnreachable) as error:
            if isinstance(error, ApiError) and error.status in (401, 403):
                raise
            last_error = error
            raise _NotYet from error
        last_state, last_error = state(seen), None
        if ready(seen):
            return seen
        ending = fatal(seen)
        if ending is not None:
            raise ending
        raise _NotYet

    attempts = Retrying(
        retry=retry_if_exception_type(_NotYet),
        stop=stop_before_delay(timeout_s),
        wait=wait_exponential(multiplier=0.1, exp_base=1.3, max=1.0),
        reraise=True,
    )
    try:
        return attempts(attempt)
    except _NotYet:
        waited = time.monotonic() - began
        story = [f"waited {waited:.0f} s for {what}; last state: {last_state}"]
        if isinstance(last_error, ApiUnreachable):
            failure = EnvironmentFailure  # nobody saw what became of it
        if last_error is not None:
            story.append(f"last API error: {last_error}")
        raise failure("; ".join(story) + describe_events(events)) from None


def describe_events(events: Callable[[], list[str]]) -> str:
    """Recent events as the tail of an error message; empty where there are none or they cannot be read."""
    try:
        recent = events()
    except AcceptanceError:
        return ""
    return "".join(f"\n  event: {event}" for event in recent)
