"""The one way to wait for a cluster: it distinguishes an unreachable API server from slow storage."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from acceptance.cluster.api_faults import REFUSING, ApiError, ApiUnreachable, is_passing
from acceptance.process.waiting import NotYet, try_until
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure

T = TypeVar("T")
# Two polls that are further apart than this have missed what happened in between.
LOOK_S = 5.0
# Searches of the whole cluster for the same objects are at least this far apart.
WIDE_LOOK_S = 5.0


def wait_for(
    goal: str,
    *,
    look: Callable[[], T],
    ready: Callable[[T], bool],
    timeout_s: float,
    state: Callable[[T], str],
    fatal: Callable[[T], AcceptanceError | None] = lambda result: None,
    events: Callable[[], list[str]] = list,
    failure: type[AcceptanceError] = StorageFailure,
    most_unseen_s: float | None = None,
) -> T:
    """Poll until the result of `look` is ready, and return it.

    `goal` says in words what is waited for ("claim data-1 to be bound"); `state` puts a result into words; `fatal`
    returns the error that ends the wait immediately, for states that never get better; `events` returns the object's
    recent events. Polls every 0.1 s at first, every 1 s later. Time in which the API server was unreachable, up to
    `most_unseen_s` (None: `timeout_s`), does not count: what is waited for may have been as slow as the server, or not
    have begun.

    Raises `failure` at the deadline, naming the goal, the last state, the last API error and the events;
    EnvironmentFailure if the API server was unreachable, or refused for now, at the end.
    """
    began = seen_s = time.monotonic()
    most_unseen_s = timeout_s if most_unseen_s is None else most_unseen_s
    unseen_s = 0.0
    last_state = "nothing observed yet"
    last_error: AcceptanceError | None = None

    def attempt() -> T:
        nonlocal last_state, last_error, seen_s, unseen_s
        try:
            result = look()
        except (ApiError, ApiUnreachable) as error:
            if isinstance(error, ApiError) and error.status in REFUSING and not error.is_passing:
                raise
            last_error = error
            raise NotYet from error
        unseen_s += max(0.0, time.monotonic() - seen_s - LOOK_S)
        seen_s = time.monotonic()
        last_state, last_error = state(result), None
        if ready(result):
            return result
        ending = fatal(result)
        if ending is not None:
            raise ending
        raise NotYet

    try:
        return try_until(attempt, over=lambda passed_s: passed_s - min(unseen_s, most_unseen_s) >= timeout_s)
    except NotYet:
        elapsed_s = time.monotonic() - began
        story = [f"waited {elapsed_s:.0f} s for {goal}; last state: {last_state}"]
        if last_error is not None and is_passing(last_error):
            failure = EnvironmentFailure  # the outcome was not observed
        if unseen_s >= 1:
            story.append(f"the API server was unreachable for {unseen_s:.0f} s of that")
        if last_error is not None:
            story.append(f"last API error: {last_error}")
        raise failure("; ".join(story) + describe_events(events)) from None


def describe_events(events: Callable[[], list[str]]) -> str:
    """Return recent events as the tail of an error message; empty if there are none or they cannot be read."""
    try:
        recent = events()
    except AcceptanceError:
        return ""
    return "".join(f"\n  event: {event}" for event in recent)
