"""The one wait of this package; nothing else here sleeps."""

from collections.abc import Callable
from typing import TypeVar

import tenacity

from acceptance.text.errors import EnvironmentFailure

T = TypeVar("T")


class NotYet(Exception):
    """Raised by what is polled: not there yet, and how far it is."""


def wait_for(what: str, poll: Callable[[], T], *, timeout: float, interval: float = 0.1) -> T:
    """Call `poll` every `interval` seconds until it raises no NotYet, and return what it returns.

    Raises EnvironmentFailure naming `what` and the last NotYet after `timeout` seconds; any other exception of
    `poll` ends the wait at once.
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
        raise EnvironmentFailure(f"{what}: not within {timeout:.0f} s; last seen: {last}") from None
