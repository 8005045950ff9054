"""Errors between the suite and an API server, and which of them are transient."""

from __future__ import annotations

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_before_delay, wait_random_exponential

from acceptance.process.interruption import is_urged
from acceptance.text.errors import AcceptanceError, EnvironmentFailure

# Statuses after which the same request may succeed a little later.
_PASSING = (429, 500, 502, 503, 504)
AWAY = (500, 502, 503, 504)
"""Statuses by which a server, or a proxy in front of it, reports that it is unavailable or not ready."""
REFUSING = (401, 403)
"""Statuses by which a server reports that the account lacks a permission."""
# In a new namespace: a controller creates its account a moment later, on a busy cluster many seconds later.
_NO_ACCOUNT_YET = "error looking up service account"
# The kubelet's words, with status 400, for the log of a container that does not run yet.
_WAITING_TO_START = "is waiting to start"


class ApiError(AcceptanceError):
    """A request that the API server refused. `status`: the HTTP status; `message`: the server's own sentence.

    `retry_after_s`: the pause that the server requests, 0 if it requests none. `was_away`: it gave no answer a moment
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
        """Return whether the same request may succeed a little later.

        A server that has just started answers before it has read its RBAC rules: it refuses every account that is no
        administrator. Its health check /readyz fails meanwhile, but not every load balancer uses it, and a kubeconfig
        names one address.
        """
        too_early = self.status in REFUSING and (self.was_away or _NO_ACCOUNT_YET in self.message)
        return self.status in _PASSING or too_early

    @property
    def is_before_start(self) -> bool:
        """Return whether the request was for the log of a container that has not started, as its node reports."""
        return self.status == 400 and _WAITING_TO_START in self.message


class ApiUnreachable(EnvironmentFailure):
    """An API server that gives no answer: the connection was refused or reset, or timed out."""


class ApiUntrusted(ApiUnreachable):
    """A server that no retry will reach: its certificate does not fit, or it has no TLS."""


def retrying(*, timeout_s: float, first_pause_s: float) -> Retrying:
    """Return a caller that retries while the API server fails transiently, and then raises the last error.

    A pause is at least as long as the server requests. A user who interrupts the run a second time is not kept waiting.
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
    """Return whether the same request may succeed a little later."""
    if isinstance(error, ApiUnreachable):
        return not isinstance(error, ApiUntrusted)
    return isinstance(error, ApiError) and error.is_passing
