"""The connection to an API server: JSON requests, logs, watches and commands."""

from __future__ import annotations

import builtins
import math
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from kubernetes import client

from acceptance.cluster.api_connections import by_kubeconfig, by_service_account
from acceptance.cluster.api_faults import ApiError, ApiUnreachable
from acceptance.cluster.api_requests import ANSWER_S, JSON, LITTLE_RETRY_S, Requests
from acceptance.cluster.columns import ROWS, TABLE, Columns, Row
from acceptance.cluster.objects import same_run
from acceptance.cluster.pod_command import PodCommand, PodCommandFailed, run_in_pod
from acceptance.cluster.resources import PODS, Object, Resource
from acceptance.cluster.streams import Stream
from acceptance.process.terminal import Terminal

# The server ends a watch after the first; it sends a bookmark about once a minute, so silence means a dead connection.
WATCH_S, WATCH_SILENCE_S = 300, 90
PAGE = 500


def whole(item: Object) -> Object:
    """Return an object unchanged: the default of `slim` in lists and watches."""
    return item


class Api:
    """A connection to one cluster. Safe to use from several threads.

    `request_counts` counts the requests so far by verb and kind, as `GET pods`; each attempt counts.
    """

    def __init__(self, connection: client.ApiClient, *, ends_s: float = math.inf) -> None:
        self._requests = Requests(connection, ends_s=ends_s)
        self.address = self._requests.address
        self.request_counts = self._requests.request_counts

    @classmethod
    def from_kubeconfig(cls, *kubeconfigs: Path, context: str | None = None, terminal: Terminal | None = None) -> Api:
        """Connect as the merged kubeconfig files specify. Raises what `by_kubeconfig` raises."""
        return cls(by_kubeconfig(kubeconfigs, context=context, terminal=terminal))

    @classmethod
    def from_service_account(cls) -> Api:
        """Connect as the pod that this process runs in. Raises EnvironmentFailure outside a pod."""
        return cls(by_service_account())

    def within(self, seconds: float) -> Api:
        """Return a client of the same server whose requests all end in `seconds` from now, retries included."""
        return Api(self._requests.connection, ends_s=time.monotonic() + seconds)

    def get(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object:
        """Return one object. Raises ApiError (404 if it does not exist), ApiUnreachable."""
        return self._requests.json("GET", resource.path(namespace=namespace, name=name))

    def find(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object | None:
        """Return one object, or None if it does not exist."""
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
        from_cache: bool = False,
    ) -> list[Object]:
        """Return all objects of a kind; `labels` and `fields` are selectors, `slim` returns the part of each to keep.

        `from_cache`: read the API server's cache, which costs the server little and may be some time old; never base a
        decision on it. Older servers then answer in one page, so use it only with selectors that leave few objects.
        """
        pages = self._pages(resource, namespace=namespace, labels=labels, fields=fields, from_cache=from_cache)
        return [slim(item) for page in pages for item in page.get("items") or []]

    def iterate(self, resource: Resource) -> Iterator[Object]:
        """Yield all objects of a kind in the whole cluster, one after the other, for callers that keep few of many."""
        for page in self._pages(resource, namespace=None):
            yield from page.get("items") or []

    def rows(self, columns: Columns[Row]) -> Iterator[Row]:
        """Yield a few columns of all objects of a kind, in few pages; read whole ones if the server prints others."""
        path, accept = columns.resource.path(namespace=None), TABLE
        query = {"limit": str(ROWS), "includeObject": "None"}  # else each row has its metadata, ten times its cells
        while True:
            page = self._requests.page(path, query=query, accept=accept)
            page_rows = columns.rows(page)
            if page_rows is None and accept == TABLE:
                accept, query = JSON, {"limit": str(PAGE)}
                continue
            if page_rows is None:
                raise ApiUnreachable(
                    f"GET {path} on {self.address}: expected complete objects, found a table; check that address"
                )
            yield from page_rows
            query["continue"] = page["metadata"].get("continue", "")
            if not query["continue"]:
                return
            del page, page_rows  # a page is large: free it before the next one is read

    def first(
        self, resource: Resource, *, namespace: str | None = None, at_most: int
    ) -> tuple[builtins.list[Object], int]:
        """Return at most `at_most` objects of a kind, and the number of further ones."""
        page = self._requests.page(resource.path(namespace=namespace), query={"limit": str(at_most)})
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
        """Return all objects of a kind, and the version of the collection, from which a watch continues."""
        items: builtins.list[Object] = []
        version = ""
        for page in self._pages(resource, namespace=namespace, labels=labels, fields=fields):
            items.extend(map(slim, page.get("items") or []))
            version = str(page["metadata"].get("resourceVersion", ""))
        return items, version

    def _pages(
        self, resource: Resource, *, namespace: str | None, labels: str = "", fields: str = "", from_cache: bool = False
    ) -> Iterator[Object]:
        query = {"limit": str(PAGE), "labelSelector": labels, "fieldSelector": fields}
        if from_cache:
            query["resourceVersion"] = "0"
        while True:
            page = self._requests.page(resource.path(namespace=namespace), query=query)
            yield page
            query = {**query, "continue": page["metadata"].get("continue", ""), "resourceVersion": ""}
            if not query["continue"]:
                return

    def watch(
        self, resource: Resource, *, namespace: str | None, labels: str, version: str, fields: str = ""
    ) -> Stream:
        """Return the changes of a kind's objects after `version`, as `{"type": ..., "object": ...}`; never retried.

        Raises ApiError (410 if the server no longer knows that version) and ApiUnreachable.
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
        response = self._requests.send("GET", path, query=query, answer_s=WATCH_SILENCE_S)
        return Stream(response, description=f"the watch of {resource.plural}")

    def create(self, resource: Resource, body: Object, *, namespace: str | None = None) -> Object:
        """Create an object. A conflict after an answer that was lost counts as success: names are the run's own."""
        try:
            return self._requests.json("POST", resource.path(namespace=namespace), body=body)
        except ApiError as error:
            name = body["metadata"].get("name")
            if error.status != 409 or not name:
                raise
            existing = self.find(resource, name, namespace=namespace)
            if existing is None or not same_run(existing, body):
                raise
            return existing

    def ask(self, resource: Resource, body: Object) -> Object:
        """Post a review, which the server answers and does not store, and return the answer."""
        return self._requests.json("POST", resource.path(namespace=None), body=body)

    def patch(self, resource: Resource, name: str, body: Object, *, namespace: str | None = None) -> Object:
        """Merge `body` into an object (JSON merge patch), and return the object."""
        path = resource.path(namespace=namespace, name=name)
        return self._requests.json("PATCH", path, body=body, content_type="application/merge-patch+json")

    def delete(
        self, resource: Resource, name: str, *, namespace: str | None = None, grace_s: int | None = None, uid: str = ""
    ) -> None:
        """Request a deletion; succeed without an object. `grace_s`: a pod's time to end; `uid`: of that one only."""
        options: Object = {} if grace_s is None else {"gracePeriodSeconds": grace_s}
        body = {**options, "preconditions": {"uid": uid}} if uid else None  # a server reads the body or the query
        query = None if body else {key: str(value) for key, value in options.items()}
        try:
            self._requests.json("DELETE", resource.path(namespace=namespace, name=name), query=query, body=body)
        except ApiError as error:
            if error.status != 404:
                raise

    def evict(self, pod: str, *, namespace: str, grace_s: int) -> None:
        """Request the eviction of a pod, as a drain of its node does; succeed if the pod no longer exists.

        `grace_s`: the pod's time to end by itself. Raises ApiError, 429 while a PodDisruptionBudget forbids it.
        """
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod, "namespace": namespace},
            "deleteOptions": {"gracePeriodSeconds": grace_s},
        }
        try:
            self._requests.json("POST", PODS.path(namespace=namespace, name=pod, subresource="eviction"), body=eviction)
        except ApiError as error:
            if error.status != 404:
                raise

    def lines(self, path: str) -> Iterator[str]:
        """Yield the lines of a plain text answer, such as `/metrics`, as they arrive; never retried.

        Raises ApiError, ApiUnreachable.
        """
        rest = b""
        # In pieces: an API server's metrics are many megabytes.
        for piece in self._requests.pieces(path, message=f"GET {path} on {self.address}: the response broke off"):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")
        yield rest.decode(errors="replace")

    def version(self, *, timeout_s: float | None = None) -> str:
        """Return the version, as `v1.34.4`; retry for `timeout_s` (None: LITTLE_RETRY_S): the server may not exist."""
        return self._requests.version(timeout_s=LITTLE_RETRY_S if timeout_s is None else timeout_s)

    def be_patient_again(self) -> None:
        """Give the next request its full time for retries, even if earlier requests were retried without success."""
        self._requests.be_patient_again()

    def now(self) -> datetime:
        """Return the time by the API server's clock, or by this machine's if the server does not send it."""
        return self._requests.now()

    def group_versions(self, group: str) -> builtins.list[str]:
        """Return the served versions of an API group, the preferred one first; none if there is no such group."""
        try:
            group_document = self._requests.json("GET", f"/apis/{group}")
        except ApiError as error:
            if error.status == 404:
                return []
            raise
        return [str(version["version"]) for version in group_document.get("versions") or []]

    def execute(
        self, pod: str, *, namespace: str, container: str, command: Sequence[str], timeout_s: float
    ) -> PodCommand:
        """Run a command in a container to its end. Raises ApiUnreachable if it cannot be started or does not end."""
        connection, path = self._requests.connection, PODS.path(namespace=namespace, name=pod, subresource="exec")
        try:
            return run_in_pod(connection, path, container=container, command=command, timeout_s=timeout_s)
        except PodCommandFailed as error:
            raise ApiUnreachable(f"`{' '.join(command)}` in pod {namespace}/{pod}: {error}") from error

    def log(self, pod: str, *, namespace: str, container: str) -> str:
        """Return the whole log of a container so far; empty if its node reports that it has not started, as it may
        for a moment after it wrote into the pod's status that the container runs."""
        pieces = self.follow_log(pod, namespace=namespace, container=container, follow=False)
        try:
            return b"".join(pieces).decode(errors="replace")
        except ApiError as error:
            if error.is_before_start:
                return ""
            raise

    def follow_log(
        self,
        pod: str,
        *,
        namespace: str,
        container: str,
        follow: bool = True,
        silence_s: float = ANSWER_S,
        timestamps: bool = False,
        since: str = "",
    ) -> Iterator[bytes]:
        """Yield a container's log from its beginning, in pieces as it grows, until the container ends.

        `timestamps`: each line begins with its time. `since` leaves out older lines: RFC 3339, to the second. Raises
        ApiUnreachable if nothing arrives for `silence_s`.
        """
        path = PODS.path(namespace=namespace, name=pod, subresource="log")
        query = {"container": container, "follow": str(follow).lower(), "sinceTime": since}
        query["timestamps"] = "true" if timestamps else ""
        message = f"no more lines arrived from the log of pod {pod}"
        return self._requests.pieces(path, query=query, answer_s=silence_s, message=message)
