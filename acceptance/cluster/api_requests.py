"""Requests to one API server: each with a time-out, counted, its errors in words."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping

import urllib3
from kubernetes import client

from acceptance.cluster.api_faults import AWAY, ApiError, ApiUnreachable, ApiUntrusted, is_passing, retrying
from acceptance.cluster.resources import Object
from acceptance.cluster.tls import lasting_reason

JSON = "application/json, */*"
CONNECT_S = 5
ANSWER_S = 30
WHOLE_S = 120
"""for all of an answer: one that comes byte by byte never ends by itself"""
# An API server that is upgraded or moved is away for a minute or two.
RETRY_S = 120
LITTLE_RETRY_S = 30
"""for the first question to a server that may not be there, and for one that let a request wait in vain"""
LOOK_RETRY_S = 3
"""for the first question of a command that only looks: its user sits before it, and can call it again"""
FIRST_PAUSE_S = 0.2
# For one that has started to have read its roles, on a busy machine.
STARTS_S = 20
# The longest pause that a server can ask for with Retry-After.
LONGEST_PAUSE_S = 60.0
# Of an answer that is none of the API server's: enough to know it by.
SHOWN = 200
MOST_OF_AN_ERROR = 1024**2


class Requests:
    """Sends them over a connection, from several threads too.

    `sent` counts the requests so far by verb and kind, as `GET pods`; each try of one counts.
    """

    def __init__(self, connection: client.ApiClient) -> None:
        self.connection = connection
        self.address: str = connection.configuration.host
        self.sent: Counter[str] = Counter()
        self._away_at = float("-inf")
        self._in_vain = False
        self._answered = False

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
        """The whole answer to a request, which is tried again while it fails in a way that passes.

        After one that was tried in vain, the next ones have at most LITTLE_RETRY_S, until one is answered: a run whose
        API server is lost ends some minutes later, and not after as many times RETRY_S as it has things to end.
        `accept`: in which form it is wanted, as HTTP has it.
        """

        def once() -> Object:
            response = self.send(method, path, query=query, body=body, content_type=content_type, accept=accept)
            request = f"{method} {path} on {self.address}"
            return _document(_whole(response, request), response, request)

        timeout_s = min(timeout_s, LITTLE_RETRY_S) if self._in_vain else timeout_s
        try:
            answer = retrying(timeout_s=timeout_s, first_pause_s=FIRST_PAUSE_S)(once)
        except (ApiError, ApiUnreachable) as error:
            self._in_vain = is_passing(error)
            raise
        self._in_vain = False
        return answer

    def be_patient_again(self) -> None:
        """Give the next request all of its time, whatever was tried in vain before it."""
        self._in_vain = False

    def pieces(
        self, path: str, *, query: Mapping[str, str] | None = None, answer_s: float = ANSWER_S, what: str
    ) -> Iterator[bytes]:
        """An answer as it comes, not tried again; `what` it is, for the error where it breaks off.

        Raises ApiError, ApiUnreachable.
        """
        response = self.send("GET", path, query=query, answer_s=answer_s)
        try:
            while piece := response.read1(65536):
                yield piece
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ApiUnreachable(f"{what}: {error}") from error
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
        """One try of one request; its answer is still to be read, and to be closed. Raises ApiError, ApiUnreachable.

        `answer_s`: how long nothing may come.
        """
        serialized = self.connection.param_serialize(
            method,
            path,
            query_params=[(key, value) for key, value in (query or {}).items() if value],
            header_params={"Accept": accept, "Content-Type": content_type},
            body=body,
            auth_settings=["BearerToken"],
        )
        self.sent[request_kind(method, path, query or {})] += 1
        try:
            answer = self.connection.call_api(*serialized, _request_timeout=(CONNECT_S, answer_s))
        except (client.ApiException, urllib3.exceptions.HTTPError, OSError) as error:
            self._away_at = time.monotonic()
            raise self._unreached(f"{method} {path} on {self.address}", _reason(error), error) from error
        self._answered = True
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

    def _unreached(self, request: str, why: object, error: Exception) -> ApiUnreachable:
        """The error, by whether a later try may do better: as long as it has never answered, TLS is not set up."""
        lasting = "" if self._answered else lasting_reason(error)
        if not lasting:
            return ApiUnreachable(f"{request}: {why}")
        origin = getattr(self.connection, "origin", "the kubeconfig")
        return ApiUntrusted(
            f"{request}: {lasting}; correct server, certificate-authority, tls-server-name or the client "
            f"certificate in {origin}"
        )

    def page(self, path: str, *, query: Mapping[str, str], accept: str = JSON) -> Object:
        """One page of a list or a table. Raises ApiUnreachable for what is none; see `json` for the rest."""
        page = self.json("GET", path, query=query, accept=accept)
        items = page.get("items") or []
        if not isinstance(page.get("metadata"), dict) or not isinstance(items, list):
            raise ApiUnreachable(
                f"GET {path} on {self.address}: wanted a list of objects, found another answer: see what answers there"
            )
        return page

    def version(self, *, timeout_s: float) -> str:
        """The version of Kubernetes, as `v1.34.4`. Raises ApiUnreachable for a server that has none."""
        version = self.json("GET", "/version", timeout_s=timeout_s).get("gitVersion")
        if not isinstance(version, str):
            raise ApiUnreachable(
                f"GET /version on {self.address}: wanted the version of a Kubernetes API server, found none in the "
                "answer: another server? See what answers at that address"
            )
        return version


def _reason(error: Exception) -> object:
    """What went wrong, without the connection as Python shows it, which urllib3 begins its sentences with."""
    if isinstance(error, client.ApiException):  # raised by this client for transport errors of TLS alone
        return error.reason
    if isinstance(error, urllib3.exceptions.NewConnectionError):  # to urllib3 one kind of the next
        cause = error.__cause__
        return getattr(cause, "strerror", None) or cause or error
    if isinstance(error, urllib3.exceptions.ConnectTimeoutError):
        return f"no connection within {CONNECT_S} s"
    return error


def _whole(response: urllib3.BaseHTTPResponse, request: str) -> bytes:
    """All of an answer. Raises ApiUnreachable where it breaks off, or takes longer than WHOLE_S."""
    ends_s, content = time.monotonic() + WHOLE_S, bytearray()
    try:
        while piece := response.read1(65536):
            content += piece
            if time.monotonic() > ends_s:
                response.close()
                raise ApiUnreachable(f"{request}: the answer did not end within {WHOLE_S} s; see what answers there")
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise ApiUnreachable(f"{request}: the answer broke off: {error}") from error
    return bytes(content)


def _document(content: bytes, response: urllib3.BaseHTTPResponse, request: str) -> Object:
    """The answer as Kubernetes gives it. Raises ApiUnreachable for any other: whoever gave it is not the API server."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict):
        return answer
    kind = response.headers.get("Content-Type", "of no known type")
    begins = content[:SHOWN].decode(errors="replace").strip()
    raise ApiUnreachable(
        f"{request}: wanted a Kubernetes object, found an answer ({response.status}, {kind}) that begins {begins!r}: a "
        "proxy, a load balancer or a login page in between? See what answers at that address"
    )


def _retry_after_s(response: urllib3.BaseHTTPResponse) -> float:
    """Seconds, as Kubernetes says it (RFC 9110 also allows a date, which it never sends)."""
    asked = response.headers.get("Retry-After", "")
    return min(float(asked), LONGEST_PAUSE_S) if asked.isdigit() else 0.0


def _message(response: urllib3.BaseHTTPResponse) -> str:
    """The server's own sentence; what there is of it where it breaks off."""
    try:
        text = response.read(MOST_OF_AN_ERROR).decode(errors="replace")
    except (urllib3.exceptions.HTTPError, OSError) as error:
        return f"{response.reason} (the answer broke off: {error})"
    try:
        return str(json.loads(text).get("message") or text)
    except (ValueError, AttributeError, RecursionError):
        return text[:SHOWN].strip() or str(response.reason)


def request_kind(method: str, path: str, query: Mapping[str, str]) -> str:
    """`GET pods`, `LIST pods`, `WATCH pods`, `GET pods/log`: what is asked for, without whose."""
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
