"""The one way to talk to an API server: JSON in, JSON out, always with a time-out, errors in words."""

from __future__ import annotations

import builtins
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import urllib3
from kubernetes import client, config
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_before_delay, wait_random_exponential

from acceptance.cluster.objects import RUN_LABEL
from acceptance.cluster.pod_command import PodCommand, PodCommandFailed, run_in_pod
from acceptance.cluster.request_kinds import request_kind
from acceptance.cluster.resources import PODS, Object, Resource
from acceptance.cluster.streams import Stream
from acceptance.credentials import remember
from acceptance.errors import AcceptanceError, EnvironmentFailure

CONNECT_S = 5
ANSWER_S = 30
# An API server that is upgraded or moved is away for a minute or two. One that never answered is sooner given up.
PATIENCE_S, FIRST_PATIENCE_S = 120, 30
# The longest pause that a server can ask for with Retry-After.
LONGEST_PAUSE_S = 60.0
# The server ends a watch after the first; it sends a bookmark about once a minute, so silence means a dead connection.
WATCH_S, WATCH_SILENCE_S = 300, 90
# Statuses after which the same request may well succeed a little later.
PASSING = (429, 500, 502, 503, 504)
PAGE = 500


def whole(item: Object) -> Object:
    """Keeps all of an object: what lists and watches do unless told otherwise."""
    return item


class ApiError(AcceptanceError):
    """The API server refused a request. `status` is the HTTP status, `message` the server's own sentence.

    `retry_after_s`: how long it asks to be left alone, 0 where it does not say.
    """

    exit_status = 10

    def __init__(self, *, status: int, request: str, message: str, retry_after_s: float = 0.0) -> None:
        super().__init__(f"{request}: the API server answered {status}: {message}")
        self.status = status
        self.message = message
        self.retry_after_s = retry_after_s


class ApiUnreachable(EnvironmentFailure):
    """No answer from the API server: refused, reset, timed out, or a certificate that does not fit."""


def retrying(*, patience_s: float, first_pause_s: float) -> Retrying:
    """Calls what it is given again while the API server fails in a way that passes; raises the last error then.

    A pause is as long as the server asks for at least.
    """
    growing = wait_random_exponential(multiplier=first_pause_s, max=5)

    def pause_s(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        return max(growing(state), error.retry_after_s if isinstance(error, ApiError) else 0.0)

    return Retrying(
        retry=retry_if_exception(_is_passing), stop=stop_before_delay(patience_s), wait=pause_s, reraise=True
    )


def _is_passing(error: BaseException) -> bool:
    """Whether the same request may well succeed a little later."""
    return isinstance(error, ApiUnreachable) or (isinstance(error, ApiError) and error.status in PASSING)


class Api:
    """A connection to one cluster. Safe to use from several threads.

    `sent` counts the requests so far by verb and kind, as `GET pods`; each try of one counts.
    """

    def __init__(self, connection: client.ApiClient) -> None:
        self._connection = connection
        self.address: str = connection.configuration.host
        self.sent: Counter[str] = Counter()

    @classmethod
    def from_kubeconfig(cls, kubeconfig: Path, *, context: str | None = None) -> Api:
        """Connect as a kubeconfig file says; the file is read, never written.

        Raises EnvironmentFailure when the file cannot be used.
        """
        settings = _client_settings()
        try:
            connection = config.new_client_from_config(  # type: ignore[no-untyped-call]
                config_file=str(kubeconfig), context=context, persist_config=False, client_configuration=settings
            )
        except (config.ConfigException, OSError, ValueError, TypeError, AttributeError) as error:
            raise EnvironmentFailure(f"kubeconfig {kubeconfig} cannot be used: {error}") from error
        for token in connection.configuration.api_key.values():  # an exec plugin's is in no file
            remember(token.removeprefix("Bearer "))
        return cls(connection)

    @classmethod
    def from_service_account(cls) -> Api:
        """Connect to the cluster of the pod that this process runs in, as its service account.

        The token is read again every minute: the kubelet replaces it long before it expires. Raises EnvironmentFailure
        where this is no pod, or one without a token.
        """
        settings = _client_settings()
        try:
            config.load_incluster_config(client_configuration=settings)  # type: ignore[no-untyped-call]
        except (config.ConfigException, OSError, UnicodeDecodeError) as error:
            raise EnvironmentFailure(
                f"wanted a pod with the token of its service account, found none: {error} Run it as deploy/job.yaml "
                "does (docs/in-cluster.md), or name a cluster with --storage-kubeconfig FILE"
            ) from error
        remember(settings.api_key["BearerToken"].removeprefix("bearer "))
        return cls(client.ApiClient(settings))

    def get(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object:
        """One object. Raises ApiError (404 where there is none), ApiUnreachable."""
        return self._json("GET", resource.path(namespace=namespace, name=name))

    def find(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object | None:
        """One object, or None where there is none."""
        try:
            return self.get(resource, name, namespace=namespace)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        labels: str = "",
        fields: str = "",
        slim: Callable[[Object], Object] = whole,
    ) -> list[Object]:
        """All objects of a kind, page by page; `labels` and `fields` are selectors, `slim` is what is kept of each."""
        return self.snapshot(resource, namespace=namespace, labels=labels, fields=fields, slim=slim)[0]

    def first(
        self, resource: Resource, *, namespace: str | None = None, at_most: int
    ) -> tuple[builtins.list[Object], int]:
        """So many objects of a kind, and how many there are beside them."""
        page = self._json("GET", resource.path(namespace=namespace), query={"limit": str(at_most)})
        return page.get("items") or [], int(page["metadata"].get("remainingItemCount") or 0)

    def snapshot(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        labels: str = "",
        fields: str = "",
        slim: Callable[[Object], Object] = whole,
    ) -> tuple[builtins.list[Object], str]:
        """All objects of a kind, and the version of the collection, from which a watch goes on."""
        found: builtins.list[Object] = []
        query = {"limit": str(PAGE), "labelSelector": labels, "fieldSelector": fields}
        while True:
            page = self._json("GET", resource.path(namespace=namespace), query=query)
            found.extend(map(slim, page.get("items") or []))
            query["continue"] = page["metadata"].get("continue", "")
            if not query["continue"]:
                return found, str(page["metadata"].get("resourceVersion", ""))

    def watch(
        self, resource: Resource, *, namespace: str | None, labels: str, version: str, fields: str = ""
    ) -> Stream:
        """What happens to the objects of a kind after `version`, as `{"type": ..., "object": ...}`; not tried again.

        Raises ApiError (410 where the server no longer knows that version) and ApiUnreachable.
        """
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "labelSelector": labels,
            "fieldSelector": fields,
            "resourceVersion": version,
            "timeoutSeconds": str(WATCH_S),
        }
        path = resource.path(namespace=namespace)
        response = self._request("GET", path, query=query, answer_s=WATCH_SILENCE_S)
        return Stream(response, what=f"the watch of {resource.plural}")

    def create(self, resource: Resource, body: Object, *, namespace: str | None = None) -> Object:
        """Make an object. A conflict after an answer that got lost counts as made, since names are the run's own."""
        try:
            return self._json("POST", resource.path(namespace=namespace), body=body)
        except ApiError as error:
            name = body["metadata"].get("name")
            if error.status != 409 or not name:
                raise
            existing = self.find(resource, name, namespace=namespace)
            if existing is None or not _same_run(existing, body):
                raise
            return existing

    def ask(self, resource: Resource, body: Object) -> Object:
        """Post a review: an object that is answered, not kept."""
        return self._json("POST", resource.path(namespace=None), body=body)

    def patch(self, resource: Resource, name: str, body: Object, *, namespace: str | None = None) -> Object:
        """Merge `body` into an object (JSON merge patch)."""
        path = resource.path(namespace=namespace, name=name)
        return self._json("PATCH", path, body=body, content_type="application/merge-patch+json")

    def delete(
        self, resource: Resource, name: str, *, namespace: str | None = None, grace_s: int | None = None
    ) -> None:
        """Ask for an object's deletion; fine when it is gone already. `grace_s`: a pod's time to end by itself."""
        query = {} if grace_s is None else {"gracePeriodSeconds": str(grace_s)}
        try:
            self._json("DELETE", resource.path(namespace=namespace, name=name), query=query)
        except ApiError as error:
            if error.status != 404:
                raise

    def lines(self, path: str) -> Iterator[str]:
        """The lines of a plain text answer, such as `/metrics`, as they come; not tried again.

        Raises ApiError, ApiUnreachable.
        """
        response = self._request("GET", path)  # streamed: an API server's metrics are many megabytes
        rest = b""
        try:
            while piece := response.read1(65536):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    yield line.decode(errors="replace")
            yield rest.decode(errors="replace")
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ApiUnreachable(f"GET {path} on {self.address}: the answer broke off: {error}") from error
        finally:
            response.close()

    def version(self) -> str:
        """The Kubernetes version, as `v1.34.4`; the first question to a server, which may not be there at all."""
        return str(self._json("GET", "/version", patience_s=FIRST_PATIENCE_S)["gitVersion"])

    def now(self) -> datetime:
        """The time by the API server's own clock; by this machine's where the server does not tell."""
        response = retrying(patience_s=PATIENCE_S, first_pause_s=0.2)(self._request, "GET", "/version")
        try:
            return parsedate_to_datetime(response.headers.get("Date", ""))
        except ValueError:
            return datetime.now(UTC)
        finally:
            response.close()

    def group_versions(self, group: str) -> builtins.list[str]:
        """The versions of an API group that are served, the preferred one first; none where there is no such group."""
        try:
            found = self._json("GET", f"/apis/{group}")
        except ApiError as error:
            if error.status == 404:
                return []
            raise
        return [str(each["version"]) for each in found.get("versions") or []]

    def execute(
        self, pod: str, *, namespace: str, container: str, command: Sequence[str], timeout_s: float
    ) -> PodCommand:
        """Run a command in a container to its end. Raises ApiUnreachable when that cannot be begun or does not end."""
        path = PODS.path(namespace=namespace, name=pod, subresource="exec")
        try:
            return run_in_pod(self._connection, path, container=container, command=command, timeout_s=timeout_s)
        except PodCommandFailed as error:
            raise ApiUnreachable(f"`{' '.join(command)}` in pod {namespace}/{pod}: {error}") from error

    def log(self, pod: str, *, namespace: str, container: str) -> str:
        """The whole log of a container so far."""
        return b"".join(self.follow_log(pod, namespace=namespace, container=container, follow=False)).decode(
            errors="replace"
        )

    def follow_log(
        self, pod: str, *, namespace: str, container: str, follow: bool = True, silence_s: float = ANSWER_S
    ) -> Iterator[bytes]:
        """A container's log from its beginning, in pieces as it grows; ends when the container does.

        Raises ApiUnreachable when nothing comes for `silence_s`.
        """
        path = PODS.path(namespace=namespace, name=pod, subresource="log")
        query = {"container": container, "follow": "true" if follow else "false"}
        response = self._request("GET", path, query=query, answer_s=silence_s)
        try:
            while piece := response.read1(65536):
                yield piece
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ApiUnreachable(f"the log of pod {pod} stopped coming: {error}") from error
        finally:
            response.close()

    def _json(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = "application/json",
        patience_s: float = PATIENCE_S,
    ) -> Object:
        return retrying(patience_s=patience_s, first_pause_s=0.2)(
            self._once, method, path, query=query, body=body, content_type=content_type
        )

    def _once(
        self, method: str, path: str, *, query: Mapping[str, str] | None, body: Object | None, content_type: str
    ) -> Object:
        response = self._request(method, path, query=query, body=body, content_type=content_type)
        try:
            content = response.read()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ApiUnreachable(f"{method} {path} on {self.address}: the answer broke off: {error}") from error
        answer: Object = json.loads(content)
        return answer

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = "application/json",
        answer_s: float = ANSWER_S,
    ) -> urllib3.BaseHTTPResponse:
        serialized = self._connection.param_serialize(
            method,
            path,
            query_params=[(key, value) for key, value in (query or {}).items() if value],
            header_params={"Accept": "application/json, */*", "Content-Type": content_type},
            body=body,
            auth_settings=["BearerToken"],
        )
        self.sent[request_kind(method, path, query or {})] += 1
        try:
            answer = self._connection.call_api(*serialized, _request_timeout=(CONNECT_S, answer_s))
        except client.ApiException as error:  # raised by this client for transport errors of TLS alone
            raise ApiUnreachable(f"{method} {path} on {self.address}: {error.reason}") from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ApiUnreachable(f"{method} {path} on {self.address}: {error}") from error
        response: urllib3.BaseHTTPResponse = answer.response
        if response.status >= 400:
            raise ApiError(
                status=response.status,
                request=f"{method} {path}",
                message=_message(response),
                retry_after_s=_retry_after_s(response),
            )
        return response


def _client_settings() -> client.Configuration:
    settings = client.Configuration()
    settings.retries = False  # urllib3 would retry three times on top of our own time-out
    settings.connection_pool_maxsize = 128  # each followed log holds one; beyond that urllib3 warns
    return settings


def _same_run(existing: Object, body: Object) -> bool:
    """Whether the object that is there is the one that was asked for, made by a request whose answer got lost."""
    ours = (body["metadata"].get("labels") or {}).get(RUN_LABEL)
    deleted = existing["metadata"].get("deletionTimestamp")
    return bool(ours) and not deleted and (existing["metadata"].get("labels") or {}).get(RUN_LABEL) == ours


def _retry_after_s(response: urllib3.BaseHTTPResponse) -> float:
    """Seconds, as Kubernetes says it (RFC 9110 also allows a date, which it never sends)."""
    asked = response.headers.get("Retry-After", "")
    return min(float(asked), LONGEST_PAUSE_S) if asked.isdigit() else 0.0


def _message(response: urllib3.BaseHTTPResponse) -> str:
    text = response.read().decode(errors="replace")
    try:
        return str(json.loads(text).get("message") or text)
    except (ValueError, AttributeError):
        return text.strip() or str(response.reason)
