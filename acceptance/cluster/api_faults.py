"""What goes wrong between the suite and an API server, and what of it passes by itself."""

from __future__ import annotations

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_before_delay, wait_random_exponential

from acceptance.process.interruption import is_urged
from acceptance.text.errors import AcceptanceError, EnvironmentFailure

# Statuses after which the same request may well succeed a little later.
_PASSING = (429, 500, 502, 503, 504)
AWAY = (500, 502, 503, 504)
"""Statuses by which a server, or what is in front of it, says that it is away or not ready."""
REFUSING = (401, 403)
"""Statuses by which it says that the account may not"""
# Of a new namespace: its own account is made by a controller, a moment later or, on a busy cluster, many seconds.
_NO_ACCOUNT_YET = "error looking up service account"
# The kubelet's words, with status 400, for the log of a container that does not run yet.
_NOT_STARTED = "is waiting to start"


class ApiError(AcceptanceError):
    """The API server refused a request. `status` is the HTTP status, `message` the server's own sentence.

    `retry_after_s`: how long it asks to be left alone, 0 where it does not say. `was_away`: it gave no answer a moment
    ago, so that it may have just started.
    """

    exit_status = 10

    def __init__(
        self, *, status: int, request: str, message: str, retry_after_s: float = 0.0, was_away: bool = False
    ) -> None:
        super().__init__(f"{request}: the API server answered {status}: {message}")
        self.status = status
        self.message = message
        self.retry_after_s = retry_after_s
        self.was_away = was_away

    @property
    def is_passing(self) -> bool:
        """Whether the same request may well succeed a little later.

        A server that has just started answers before it has read who may do what: it refuses whoever is no
        administrator. Its health check /readyz fails meanwhile, which not every load balancer asks, and no kubeconfig.
        """
        too_early = self.status in REFUSING and (self.was_away or _NO_ACCOUNT_YET in self.message)
        return self.status in _PASSING or too_early

    @property
    def is_before_start(self) -> bool:
        """Whether a log was asked for of a container that has not started, by the word of its node."""
        return self.status == 400 and _NOT_STARTED in self.message


class ApiUnreachable(EnvironmentFailure):
    """No answer from the API server: refused, reset, timed out."""


class ApiUntrusted(ApiUnreachable):
    """A server that no later try will reach: a certificate that does not fit, or no TLS at all."""


def retrying(*, timeout_s: float, first_pause_s: float) -> Retrying:
    """Calls what it is given again while the API server fails in a way that passes; raises the last error then.

    A pause is as long as the server asks for at least. Whoever ends a run and asks again is not kept waiting.
    """
    growing = wait_random_exponential(multiplier=first_pause_s, max=5)

    def pause_s(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        return max(growing(state), error.retry_after_s if isinstance(error, ApiError) else 0.0)

    over = stop_before_delay(timeout_s)
    return Retrying(
        retry=retry_if_exception(is_passing),
        stop=lambda state: is_urged() or over(state),
        wait=pause_s,
        reraise=True,
    )


def is_passing(error: BaseException) -> bool:
    """Whether the same request may well succeed a little later."""
    if isinstance(error, ApiUnreachable):
        return not isinstance(error, ApiUntrusted)
    return isinstance(error, ApiError) and error.is_passing
