"""Requests to one API server: each has a timeout and is counted, and its errors are put into words."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import urllib3
from kubernetes import client

from acceptance.cluster.api_faults import AWAY, ApiError, ApiUnreachable, ApiUntrusted, is_passing, retrying
from acceptance.cluster.resources import Object
from acceptance.cluster.tls import lasting_reason

JSON = "application/json, */*"
CONNECT_S = 5
ANSWER_S = 30
WHOLE_S = 120
"""Seconds for all of an answer: one that arrives byte by byte never ends by itself."""
# An API server that is upgraded or moved is unavailable for a minute or two.
RETRY_S = 120
LITTLE_RETRY_S = 30
"""Seconds of retries for the first request to a server that may not exist, and after retries without success."""
LOOK_RETRY_S = 3
"""Seconds of retries for the first request of a read-only command: its user waits, and can run it again."""
LOOK_ANSWER_S = 10
"""Seconds for the first answer to a plan, retries included: without an answer, it is made from the options alone."""
LEAST_S = 0.1
"""Seconds that a request has at least, because HTTP clients take no time limit of 0."""
FIRST_PAUSE_S = 0.2
# Seconds until a server that has started has read its roles, on a busy machine.
STARTS_S = 20
# The longest pause that a server can request with Retry-After.
LONGEST_PAUSE_S = 60.0
# Bytes of an answer that is not the API server's: enough to recognize its sender.
EXCERPT_LENGTH = 200
MOST_OF_AN_ERROR = 1024**2


class Requests:
    """The requests over one connection. Safe to use from several threads.

    `request_counts` counts them so far by verb and kind, as `GET pods`; each attempt counts. `ends_s`: the time of the
    monotonic clock at which all requests must have ended, retries included.
    """

    def __init__(self, connection: client.ApiClient, *, ends_s: float = math.inf) -> None:
        self.connection = connection
        self._ends_s = ends_s
        self.address: str = connection.configuration.host
        self.request_counts: Counter[str] = Counter()
        self._away_at = float("-inf")
        self._in_vain = False
        self._had_answer = False

    def json(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = "application/json",
        accept: str = JSON,
        timeout_s: float = RETRY_S,
    ) -> Object:
        """Return the whole answer to a request; retry while it fails transiently.

        After a request that was retried without success, the next ones have at most LITTLE_RETRY_S, until one is
        answered: a run whose API server is lost then ends some minutes later, not after RETRY_S for each object that
        it must delete. `accept`: the media types of the answer, as in HTTP.
        """

        def once() -> Object:
            response = self.send(method, path, query=query, body=body, content_type=content_type, accept=accept)
            request = f"{method} {path} on {self.address}"
            return _document(_whole(response, request, limit_s=self._limited(WHOLE_S)), response, request)

        timeout_s = min(timeout_s, LITTLE_RETRY_S) if self._in_vain else timeout_s
        try:
            answer = retrying(timeout_s=self._limited(timeout_s), first_pause_s=FIRST_PAUSE_S)(once)
        except (ApiError, ApiUnreachable) as error:
            self._in_vain = is_passing(error)
            raise
        self._in_vain = False
        return answer

    def _limited(self, seconds: float) -> float:
        """Return `seconds`, or the time that is left for all requests if that is shorter."""
        return min(seconds, max(LEAST_S, self._ends_s - time.monotonic()))

    def be_patient_again(self) -> None:
        """Give the next request its full time for retries, even if earlier requests were retried without success."""
        self._in_vain = False

    def pieces(
        self, path: str, *, query: Mapping[str, str] | None = None, answer_s: float = ANSWER_S, message: str
    ) -> Iterator[bytes]:
        """Yield the pieces of an answer as they arrive; never retried. `message` begins the error if it breaks off.

        Raises ApiError, ApiUnreachable.
        """
        response = self.send("GET", path, query=query, answer_s=answer_s)
        try:
            while piece := response.read1(65536):
                yield piece
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ApiUnreachable(f"{message}: {error}") from error
        finally:
            response.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = "application/json",
        accept: str = JSON,
        answer_s: float = ANSWER_S,
    ) -> urllib3.BaseHTTPResponse:
        """Send a request once; the caller must read and close the response. Raises ApiError, ApiUnreachable.

        `answer_s`: the longest silence.
        """
        parameters = self.connection.param_serialize(
            method,
            path,
            query_params=[(key, value) for key, value in (query or {}).items() if value],
            header_params={"Accept": accept, "Content-Type": content_type},
            body=body,
            auth_settings=["BearerToken"],
        )
        self.request_counts[request_kind(method, path, query or {})] += 1
        began_s = time.monotonic()
        connect_s = self._limited(CONNECT_S)
        try:
            answer = self.connection.call_api(*parameters, _request_timeout=(connect_s, self._limited(answer_s)))
        except (client.ApiException, urllib3.exceptions.HTTPError, OSError) as error:
            self._away_at = time.monotonic()
            why = _reason(error, connect_s=connect_s, waited_s=self._away_at - began_s)
            raise self._unreachable_error(f"{method} {path} on {self.address}", why, error) from error
        self._had_answer = True
        response: urllib3.BaseHTTPResponse = answer.response
        if response.status in AWAY:
            self._away_at = time.monotonic()
        if response.status >= 400:
            raise ApiError(
                status=response.status,
                request=f"{method} {path}",
                message=_message(response),
                retry_after_s=_retry_after_s(response),
                was_away=time.monotonic() - self._away_at < STARTS_S,
            )
        return response

    def _unreachable_error(self, request: str, why: object, error: Exception) -> ApiUnreachable:
        """Return the error, by whether a retry may succeed.

        TLS that fails before the first answer is misconfigured; later it is a transient error.
        """
        lasting = "" if self._had_answer else lasting_reason(error)
        if not lasting:
            return ApiUnreachable(f"{request}: {why}")
        origin = getattr(self.connection, "origin", "the kubeconfig")
        return ApiUntrusted(
            f"{request}: {lasting}; correct server, certificate-authority, tls-server-name or the client "
            f"certificate in {origin}"
        )

    def page(self, path: str, *, query: Mapping[str, str], accept: str = JSON) -> Object:
        """Return one page of a list or a table. Raises ApiUnreachable for any other answer; see `json` for the rest."""
        page = self.json("GET", path, query=query, accept=accept)
        items = page.get("items") or []
        if not isinstance(page.get("metadata"), dict) or not isinstance(items, list):
            raise ApiUnreachable(
                f"GET {path} on {self.address}: expected a list of objects, found another response; check that address"
            )
        return page

    def version(self, *, timeout_s: float) -> str:
        """Return the version of Kubernetes, as `v1.34.4`. Raises ApiUnreachable for a server that reports none."""
        version = self.json("GET", "/version", timeout_s=timeout_s).get("gitVersion")
        if not isinstance(version, str):
            raise ApiUnreachable(
                f"GET /version on {self.address}: expected the version of a Kubernetes API server, found none; check "
                "that address: another server may answer there"
            )
        return version

    def now(self) -> datetime:
        """Return the time by the API server's clock, or by this machine's if the server does not send it."""
        response = retrying(timeout_s=self._limited(RETRY_S), first_pause_s=FIRST_PAUSE_S)(self.send, "GET", "/version")
        try:
            return parsedate_to_datetime(response.headers.get("Date", ""))
        except ValueError:
            return datetime.now(UTC)
        finally:
            response.close()


def _reason(error: Exception, *, connect_s: float, waited_s: float) -> object:
    """Return the cause of an error, without Python's text for the connection, which begins urllib3's sentences."""
    if isinstance(error, client.ApiException):  # this client raises it only for TLS errors of the transport
        return error.reason
    if isinstance(error, urllib3.exceptions.NewConnectionError):  # in urllib3 a subclass of the next
        cause = error.__cause__
        return getattr(cause, "strerror", None) or cause or error
    if isinstance(error, urllib3.exceptions.ConnectTimeoutError):
        return f"no connection within {connect_s:.3g} s"
    if isinstance(error, urllib3.exceptions.ReadTimeoutError):
        return f"no answer within {waited_s:.0f} s"
    return error


def _whole(response: urllib3.BaseHTTPResponse, request: str, *, limit_s: float) -> bytes:
    """Return all of an answer. Raises ApiUnreachable if it breaks off, or takes longer than `limit_s`."""
    ends_s, content = time.monotonic() + limit_s, bytearray()
    try:
        while piece := response.read1(65536):
            content += piece
            if time.monotonic() > ends_s:
                response.close()
                raise ApiUnreachable(f"{request}: the response did not end within {limit_s:.3g} s; check that address")
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise ApiUnreachable(f"{request}: the response broke off: {error}") from error
    return bytes(content)


def _document(content: bytes, response: urllib3.BaseHTTPResponse, request: str) -> Object:
    """Return the answer as a Kubernetes object. Raises ApiUnreachable for any other: not from the API server."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict):
        return answer
    kind = response.headers.get("Content-Type", "of no known type")
    begins = content[:EXCERPT_LENGTH].decode(errors="replace").strip()
    raise ApiUnreachable(
        f"{request}: expected a Kubernetes object, found a response ({response.status}, {kind}) that begins "
        f"{begins!r}; check that address: a proxy, a load balancer or a login page may answer there"
    )


def _retry_after_s(response: urllib3.BaseHTTPResponse) -> float:
    """Return the requested pause in s, as Kubernetes sends it (RFC 9110 also allows a date, which it never sends)."""
    header = response.headers.get("Retry-After", "")
    return min(float(header), LONGEST_PAUSE_S) if header.isdigit() else 0.0


def _message(response: urllib3.BaseHTTPResponse) -> str:
    """Return the server's own sentence, or the HTTP reason if the answer breaks off."""
    try:
        text = response.read(MOST_OF_AN_ERROR).decode(errors="replace")
    except (urllib3.exceptions.HTTPError, OSError) as error:
        return f"{response.reason} (the response broke off: {error})"
    try:
        return str(json.loads(text).get("message") or text)
    except (ValueError, AttributeError, RecursionError):
        return text[:EXCERPT_LENGTH].strip() or str(response.reason)


def request_kind(method: str, path: str, query: Mapping[str, str]) -> str:
    """Return `GET pods`, `LIST pods`, `WATCH pods`, `GET pods/log`: the verb and the kind, without a name."""
    parts = path.strip("/").split("/")
    parts = parts[2:] if parts[0] == "api" else parts[3:] if parts[0] == "apis" else parts
    if parts and parts[0] == "namespaces" and len(parts) > 2:
        parts = parts[2:]
    kind, *rest = parts or [""]
    if "watch" in query:
        method = "WATCH"
    elif method == "GET" and not rest and path.startswith("/api"):
        method = "LIST"
    return f"{method} {'/'.join([kind, *rest[1:2]])}"
