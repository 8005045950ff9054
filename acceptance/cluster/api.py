"""The one way to talk to an API server: what can be asked of it, in JSON, logs, watches and commands."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from kubernetes import client

from acceptance.cluster.api_connections import by_kubeconfig, by_service_account
from acceptance.cluster.api_faults import ApiError, ApiUnreachable, retrying
from acceptance.cluster.api_requests import ANSWER_S, FIRST_PAUSE_S, JSON, LITTLE_RETRY_S, RETRY_S, Requests
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
    """Keeps all of an object: what lists and watches do unless told otherwise."""
    return item


class Api:
    """A connection to one cluster. Safe to use from several threads.

    `sent` counts the requests so far by verb and kind, as `GET pods`; each try of one counts.
    """

    def __init__(self, connection: client.ApiClient) -> None:
        self._requests = Requests(connection)
        self.address = self._requests.address
        self.sent = self._requests.sent

    @classmethod
    def from_kubeconfig(cls, *kubeconfigs: Path, context: str | None = None, terminal: Terminal | None = None) -> Api:
        """Connect as kubeconfig files say, merged. Raises WrongUsage, EnvironmentFailure: see `by_kubeconfig`."""
        return cls(by_kubeconfig(kubeconfigs, context=context, terminal=terminal))

    @classmethod
    def from_service_account(cls) -> Api:
        """Connect as the pod that this process runs in. Raises EnvironmentFailure where this is none."""
        return cls(by_service_account())

    def get(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object:
        """One object. Raises ApiError (404 where there is none), ApiUnreachable."""
        return self._requests.json("GET", resource.path(namespace=namespace, name=name))

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
        cached: bool = False,
    ) -> list[Object]:
        """All objects of a kind; `labels` and `fields` are selectors, `slim` is what is kept of each.

        `cached`: as the API server remembers them, which costs it little and may be some time ago: never for what is
        decided by. Older servers then answer in one page, so only with selectors that leave few.
        """
        pages = self._pages(resource, namespace=namespace, labels=labels, fields=fields, cached=cached)
        return [slim(item) for page in pages for item in page.get("items") or []]

    def each(self, resource: Resource) -> Iterator[Object]:
        """The same of the whole cluster, one after the other, for whoever keeps few of many."""
        for page in self._pages(resource, namespace=None):
            yield from page.get("items") or []

    def rows(self, columns: Columns[Row]) -> Iterator[Row]:
        """The same by a few columns, in few pages. Whole objects are read where the server prints other columns."""
        path, accept = columns.resource.path(namespace=None), TABLE
        query = {"limit": str(ROWS), "includeObject": "None"}  # or each row brings its metadata, ten times its cells
        while True:
            page = self._requests.page(path, query=query, accept=accept)
            found = columns.rows(page)
            if found is None and accept == TABLE:
                accept, query = JSON, {"limit": str(PAGE)}
                continue
            if found is None:
                raise ApiUnreachable(
                    f"GET {path} on {self.address}: wanted whole objects, found a table: see what answers there"
                )
            yield from found
            query["continue"] = page["metadata"].get("continue", "")
            if not query["continue"]:
                return
            del page, found  # a page is large, and the next one comes

    def first(
        self, resource: Resource, *, namespace: str | None = None, at_most: int
    ) -> tuple[builtins.list[Object], int]:
        """So many objects of a kind, and how many there are beside them."""
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
        """All objects of a kind, and the version of the collection, from which a watch goes on."""
        found: builtins.list[Object] = []
        version = ""
        for page in self._pages(resource, namespace=namespace, labels=labels, fields=fields):
            found.extend(map(slim, page.get("items") or []))
            version = str(page["metadata"].get("resourceVersion", ""))
        return found, version

    def _pages(
        self, resource: Resource, *, namespace: str | None, labels: str = "", fields: str = "", cached: bool = False
    ) -> Iterator[Object]:
        query = {"limit": str(PAGE), "labelSelector": labels, "fieldSelector": fields}
        if cached:
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
        response = self._requests.send("GET", path, query=query, answer_s=WATCH_SILENCE_S)
        return Stream(response, what=f"the watch of {resource.plural}")

    def create(self, resource: Resource, body: Object, *, namespace: str | None = None) -> Object:
        """Make an object. A conflict after an answer that got lost counts as made, since names are the run's own."""
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
        """Post a review: an object that is answered, not kept."""
        return self._requests.json("POST", resource.path(namespace=None), body=body)

    def patch(self, resource: Resource, name: str, body: Object, *, namespace: str | None = None) -> Object:
        """Merge `body` into an object (JSON merge patch)."""
        path = resource.path(namespace=namespace, name=name)
        return self._requests.json("PATCH", path, body=body, content_type="application/merge-patch+json")

    def delete(
        self, resource: Resource, name: str, *, namespace: str | None = None, grace_s: int | None = None, uid: str = ""
    ) -> None:
        """Ask for its deletion; fine when it is gone. `grace_s`: a pod's time to end; `uid`: of that one alone."""
        options: Object = {} if grace_s is None else {"gracePeriodSeconds": grace_s}
        body = {**options, "preconditions": {"uid": uid}} if uid else None  # a server reads that, or the query
        query = None if body else {key: str(value) for key, value in options.items()}
        try:
            self._requests.json("DELETE", resource.path(namespace=namespace, name=name), query=query, body=body)
        except ApiError as error:
            if error.status != 404:
                raise

    def evict(self, pod: str, *, namespace: str, grace_s: int) -> None:
        """Ask for a pod's eviction, as a drain of its node does; fine when it is gone already.

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
        """The lines of a plain text answer, such as `/metrics`, as they come; not tried again.

        Raises ApiError, ApiUnreachable.
        """
        rest = b""
        # In pieces: an API server's metrics are many megabytes.
        for piece in self._requests.pieces(path, what=f"GET {path} on {self.address}: the answer broke off"):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")
        yield rest.decode(errors="replace")

    def version(self, *, timeout_s: float | None = None) -> str:
        """The version, as `v1.34.4`, tried for `timeout_s` (None: LITTLE_RETRY_S): the server may not be there."""
        return self._requests.version(timeout_s=LITTLE_RETRY_S if timeout_s is None else timeout_s)

    def be_patient_again(self) -> None:
        """Give the next request all of its time, whatever was tried in vain before it."""
        self._requests.be_patient_again()

    def now(self) -> datetime:
        """The time by the API server's own clock; by this machine's where the server does not tell."""
        response = retrying(timeout_s=RETRY_S, first_pause_s=FIRST_PAUSE_S)(self._requests.send, "GET", "/version")
        try:
            return parsedate_to_datetime(response.headers.get("Date", ""))
        except ValueError:
            return datetime.now(UTC)
        finally:
            response.close()

    def group_versions(self, group: str) -> builtins.list[str]:
        """The versions of an API group that are served, the preferred one first; none where there is no such group."""
        try:
            found = self._requests.json("GET", f"/apis/{group}")
        except ApiError as error:
            if error.status == 404:
                return []
            raise
        return [str(version["version"]) for version in found.get("versions") or []]

    def execute(
        self, pod: str, *, namespace: str, container: str, command: Sequence[str], timeout_s: float
    ) -> PodCommand:
        """Run a command in a container to its end. Raises ApiUnreachable when that cannot be begun or does not end."""
        connection, path = self._requests.connection, PODS.path(namespace=namespace, name=pod, subresource="exec")
        try:
            return run_in_pod(connection, path, container=container, command=command, timeout_s=timeout_s)
        except PodCommandFailed as error:
            raise ApiUnreachable(f"`{' '.join(command)}` in pod {namespace}/{pod}: {error}") from error

    def log(self, pod: str, *, namespace: str, container: str) -> str:
        """The whole log of a container so far; empty where its node says that it has not started, as it may for a
        moment after it wrote into the pod's status that the container runs."""
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
        stamped: bool = False,
        since: str = "",
    ) -> Iterator[bytes]:
        """A container's log from its beginning, in pieces as it grows; ends when the container does.

        `stamped` has each line begin with its time; `since` leaves out what is older, in RFC 3339, to the second.
        Raises ApiUnreachable when nothing comes for `silence_s`.
        """
        path = PODS.path(namespace=namespace, name=pod, subresource="log")
        query = {"container": container, "follow": str(follow).lower(), "sinceTime": since}
        query["timestamps"] = "true" if stamped else ""
        what = f"the log of pod {pod} stopped coming"
        return self._requests.pieces(path, query=query, answer_s=silence_s, what=what)
