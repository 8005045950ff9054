"""The one wait of this package; nothing else here sleeps."""

from collections.abc import Callable
from typing import TypeVar

import tenacity

from acceptance.text.errors import EnvironmentFailure

T = TypeVar("T")


class NotYet(Exception):
    """Raised by a poll: the goal is not reached yet, and how far it is."""


def wait_for(title: str, poll: Callable[[], T], *, timeout: float, interval: float = 0.1) -> T:
    """Call `poll` every `interval` seconds until it raises no NotYet, and return what it returns.

    Raises EnvironmentFailure naming `title` and the last NotYet after `timeout` seconds; any other exception of
    `poll` ends the wait immediately.
    """
    retrying = tenacity.Retrying(
        stop=tenacity.stop_before_delay(timeout),
        wait=tenacity.wait_fixed(interval),
        retry=tenacity.retry_if_exception_type(NotYet),
        reraise=True,
    )
    try:
        return retrying(poll)
    except NotYet as last:
        raise EnvironmentFailure(f"{title}: not within {timeout:.0f} s; last seen: {last}") from None
