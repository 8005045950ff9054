"""An API server in memory, at the far end of a connection: it pages, selects and prints tables as the real one does."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster import api as api_module
from acceptance.cluster import volumes as volumes_module
from acceptance.cluster.api import Api
from acceptance.cluster.api_requests import request_kind
from acceptance.cluster.objects import run_namespace

RUN_ID = "20261121-071502-4f3a9c0b1d2e7a65"
NAMESPACE = run_namespace(RUN_ID)
PAGE, ROWS = 50, 2000
BEFORE, LATER = "2026-11-21T07:00:00Z", "2026-11-21T07:15:03Z"
# As pkg/printers/internalversion/printers.go of Kubernetes has them.
VOLUME_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "Name": lambda each: each["metadata"]["name"],
    "Capacity": lambda each: "1Gi",
    "Access Modes": lambda each: "RWO",
    "Reclaim Policy": lambda each: each["spec"]["persistentVolumeReclaimPolicy"],
    "Status": lambda each: "Terminating" if each["metadata"].get("deletionTimestamp") else each["status"]["phase"],
    "Claim": lambda each: "{namespace}/{name}".format(**claim) if (claim := each["spec"].get("claimRef")) else "",
    "StorageClass": lambda each: (each["metadata"].get("annotations") or {}).get(
        "volume.beta.kubernetes.io/storage-class", each["spec"].get("storageClassName", "")
    ),
    "VolumeAttributesClass": lambda each: "<unset>",
    "Reason": lambda each: "",
    "Age": lambda each: "15m",
    "VolumeMode": lambda each: "Filesystem",
}
ATTACHMENT_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "Name": lambda each: each["metadata"]["name"],
    "Attacher": lambda each: each["spec"]["attacher"],
    "PV": lambda each: each["spec"]["source"]["persistentVolumeName"],
    "Node": lambda each: each["spec"]["nodeName"],
    "Attached": lambda each: each["status"]["attached"],
    "Age": lambda each: "15m",
}
_PATH = re.compile(r"/(?:api|apis/[^/]+)/v1(?:/namespaces/([^/]+)(?=/))?/([a-z]+)(?:/([^/]+))?(?:/([a-z]+))?")
Key = tuple[str, str]


def _metadata_alone(each: Any) -> Any:
    """What each row of a table holds unless it is asked for without: as the real server has it, with who wrote what."""
    written = {"manager": "kubectl", "operation": "Update", "fieldsV1": {f"f:field-{n}": {} for n in range(12)}}
    return {"kind": "PartialObjectMetadata", "metadata": {**each["metadata"], "managedFields": [written]}}


class Answer:
    """What comes back, as far as the suite reads it."""

    def __init__(self, status: int, body: Any) -> None:
        self.status = status
        self.reason = "as asked"
        self.headers = {"Content-Type": "application/json", "Date": "Sat, 21 Nov 2026 07:16:00 GMT"}
        self._content = json.dumps(body).encode()

    def read(self, *_: int) -> bytes:
        return self._content

    def read1(self, _: int) -> bytes:
        content, self._content = self._content, b""
        return content

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class PagedApiServer:
    """Objects by kind, then by namespace and name. Claims are bound when they are made; their volumes go after them.

    `lasting`: how often a volume without a claim is still found. `printed`: the columns of each kind. `asked`: each
    request's kind and query, in order. `late`: volumes that come when the next claim is deleted. `before_page` is
    called before each page.
    """

    lasting: int = 0
    configuration: Any = field(default_factory=lambda: SimpleNamespace(host="https://in.memory"))
    printed: dict[str, dict[str, Callable[[Any], Any]]] = field(
        default_factory=lambda: {"persistentvolumes": VOLUME_COLUMNS, "volumeattachments": ATTACHMENT_COLUMNS}
    )
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    late: list[Any] = field(default_factory=list)
    before_page: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.objects: defaultdict[str, dict[Key, Any]] = defaultdict(dict)
        self._found: Counter[str] = Counter()
        self._numbers = itertools.count(1)

    @property
    def api(self) -> Api:
        """A new client of it."""
        return Api(cast(Any, self))

    @property
    def pages(self) -> Counter[str]:
        """How many pages of each kind were asked for."""
        return Counter(kind.removeprefix("LIST ") for kind, _ in self.asked if re.fullmatch("LIST .+", kind))

    def have(self, plural: str, body: Any, namespace: str = "") -> Any:
        """Add an object as it is."""
        uid = {"uid": f"uid-{next(self._numbers)}", "resourceVersion": "1", "creationTimestamp": BEFORE}
        body["metadata"] = uid | body["metadata"]
        self.objects[plural][namespace, body["metadata"]["name"]] = body
        return body

    def have_others(self, *, volumes: int, attachments: int) -> None:
        """A cluster in use: volumes bound to claims of others, some of them attached."""
        for number in range(volumes):
            self.have("persistentvolumes", volume(f"shop-{number:06}", namespace=f"shop-{number % 100}"))
        for number in range(attachments):
            self.have("volumeattachments", attachment(f"csi-{number:06}", of=f"shop-{number:06}"))

    def have_run(self) -> None:
        """The run's namespace, with a lease that was written just now."""
        labels = {"storage-acceptance/run": RUN_ID, "app.kubernetes.io/managed-by": "storage-acceptance"}
        self.have("namespaces", {"metadata": {"name": NAMESPACE, "labels": labels}})

    # What `Requests` asks of a connection.

    def param_serialize(self, method: str, path: str, **asked: Any) -> tuple[Any, ...]:
        query, headers = dict(asked["query_params"]), asked["header_params"]
        return method, path, query, headers, asked["body"]

    def call_api(self, method: str, path: str, query: Any, headers: Any, body: Any, **_: Any) -> Any:
        self.asked.append((request_kind(method, path, query), query))
        return SimpleNamespace(response=self._answer(method, path, query, headers, json.loads(json.dumps(body))))

    def _answer(self, method: str, path: str, query: Mapping[str, str], headers: Any, body: Any) -> Answer:
        if path == "/version":
            return Answer(200, {"gitVersion": "v1.34.4"})
        found = _PATH.fullmatch(path)
        if found is None:
            return Answer(404, {"message": f"{path} is not served"})
        namespace, plural, name, _ = (group or "" for group in found.groups())
        if method == "GET" and not name:
            return Answer(200, self._page(plural, namespace, query, table="as=Table" in headers["Accept"]))
        if method == "POST":
            return Answer(201, self._make(plural, namespace, body))
        there = self.objects[plural].get((namespace, name))
        if there is not None and plural == "persistentvolumes":
            there = self._going(name, there)
        if there is None:
            return Answer(404, {"message": f"{plural} {name} not found"})
        if method == "PATCH":
            merge(there, body)
        if method == "DELETE":
            self._delete(plural, namespace, name)
        return Answer(200, there)

    def _page(self, plural: str, namespace: str, query: Mapping[str, str], *, table: bool) -> Any:
        self.before_page()
        wanted = [
            (key, each)
            for key, each in sorted(self.objects[plural].items())
            if namespace in ("", key[0]) and _selected(each, query)
        ]
        begins = [key for key, _ in wanted].index(tuple(json.loads(query["continue"]))) if "continue" in query else 0
        ends = begins + int(query.get("limit", len(wanted)))
        metadata: dict[str, Any] = {"resourceVersion": "7"}
        if ends < len(wanted):
            metadata |= {"continue": json.dumps(wanted[ends][0]), "remainingItemCount": len(wanted) - ends}
        items = [each for (_, name), each in wanted[begins:ends] if self._is_there(plural, name, each)]
        if table and (columns := self.printed.get(plural)):
            names = [{"name": name, "type": "string"} for name in columns]
            whose = (lambda each: None) if query.get("includeObject") == "None" else _metadata_alone
            rows = [{"cells": [of(item) for of in columns.values()], "object": whose(item)} for item in items]
            return {"kind": "Table", "metadata": metadata, "columnDefinitions": names, "rows": rows}
        return {"kind": "List", "metadata": metadata, "items": items}

    def _is_there(self, plural: str, name: str, each: Any) -> bool:
        return plural != "persistentvolumes" or self._going(name, each) is not None

    def _going(self, name: str, there: Any) -> Any:
        """The volume, or None when it was found often enough since its claim went."""
        if name not in self._found:
            return there
        self._found[name] += 1
        if self._found[name] <= self.lasting or there["spec"]["persistentVolumeReclaimPolicy"] != "Delete":
            return there
        del self.objects["persistentvolumes"]["", name]
        del self._found[name]
        return None

    def _make(self, plural: str, namespace: str, body: Any) -> Any:
        body["metadata"] |= {"creationTimestamp": LATER}
        made = self.have(plural, {"status": {}, **body}, namespace)
        if plural == "persistentvolumeclaims":
            bound = volume(f"pvc-{made['metadata']['uid']}", namespace=namespace, claim=made["metadata"]["name"])
            bound["metadata"] |= {"creationTimestamp": LATER, "annotations": PROVISIONED}
            bound["spec"]["claimRef"]["uid"] = made["metadata"]["uid"]
            self.have("persistentvolumes", bound)
            made["spec"]["volumeName"], made["status"] = bound["metadata"]["name"], {"phase": "Bound"}
        return made

    def _delete(self, plural: str, namespace: str, name: str) -> None:
        gone = self.objects[plural].pop((namespace, name))
        if plural == "persistentvolumeclaims":
            self._found[gone["spec"]["volumeName"]] = 0
            while self.late:
                self._found[self.have("persistentvolumes", self.late.pop())["metadata"]["name"]] = 0


def cluster(*, lasting: int = 0, volumes: int = 0, attachments: int = 0) -> PagedApiServer:
    """A cluster of others, with this run's namespace."""
    server = PagedApiServer(lasting=lasting)
    server.have_others(volumes=volumes, attachments=attachments)
    server.have("storageclasses", {"metadata": {"name": "fast"}, "volumeBindingMode": "Immediate"})
    server.have_run()
    return server


def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pages be a tenth of what they are, so that 5,000 volumes are as many pages as 50,000 would be."""
    for module in (api_module, volumes_module):
        monkeypatch.setattr(module, "PAGE", PAGE)
    monkeypatch.setattr(api_module, "ROWS", ROWS)


PROVISIONED = {"pv.kubernetes.io/provisioned-by": "example.com/driver"}


OWN: dict[str, Any] = {
    "labels": {"storage-acceptance/run": RUN_ID},
    "annotations": PROVISIONED,
    "creationTimestamp": LATER,
}
"""the metadata of a volume that was provisioned for the run"""


def volume(name: str, *, namespace: str | None = None, claim: str = "data", policy: str = "Delete", **more: Any) -> Any:
    """A volume of class `fast`, bound to a claim in the namespace; one that waits for a claim where that is None."""
    held = {"claimRef": {"namespace": namespace, "name": claim, "uid": f"uid-of-{claim}"}} if namespace else {}
    spec = {"storageClassName": "fast", "persistentVolumeReclaimPolicy": policy, **held}
    return {
        "metadata": {"name": name, **more},
        "spec": spec,
        "status": {"phase": "Bound" if namespace else "Available"},
    }


def attachment(name: str, *, of: str) -> Any:
    """An attachment of that volume."""
    source = {"persistentVolumeName": of}
    spec = {"attacher": "example.com/driver", "nodeName": "node-1", "source": source}
    return {"metadata": {"name": name}, "spec": spec, "status": {"attached": True}}


def merge(old: Any, new: Any) -> None:
    """Apply a JSON merge patch (RFC 7396)."""
    for key, value in new.items():
        if value is None:
            old.pop(key, None)
        elif isinstance(value, dict):
            merge(old.setdefault(key, {}), value)
        else:
            old[key] = value


def _selected(each: Any, query: Mapping[str, str]) -> bool:
    labels, name = each["metadata"].get("labels") or {}, each["metadata"]["name"]
    for part in filter(None, query.get("labelSelector", "").split(",")):
        key, _, value = part.partition("=")
        if key not in labels or (value and labels[key] != value):
            return False
    wanted = dict(part.partition("=")[::2] for part in filter(None, query.get("fieldSelector", "").split(",")))
    return wanted.get("metadata.name", name) == name and "involvedObject.name" not in wanted


class Clock:
    """Time that passes only while somebody waits; meanwhile what happens `every` so many seconds happens."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        self._turns: list[tuple[float, Callable[[], None]]] = []
        monkeypatch.setattr(time, "monotonic", self.monotonic)
        monkeypatch.setattr(time, "sleep", self.sleep)

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        ends_s = self.now_s + seconds
        while self._turns and (next_s := min(at_s for at_s, _ in self._turns)) <= ends_s:
            self.now_s = max(self.now_s, next_s)
            for turn in [each for at_s, each in self._turns if at_s <= self.now_s]:
                turn()
        self.now_s = ends_s

    @contextmanager
    def every(self, seconds: float, turn: Callable[[], None]) -> Iterator[None]:
        """Call `turn` so often until the block ends."""

        def again() -> None:
            self._turns[:] = [each for each in self._turns if each[1] is not again]
            self._turns.append((self.now_s + seconds, again))
            turn()

        self._turns.append((self.now_s + seconds, again))
        yield
        self._turns[:] = [each for each in self._turns if each[1] is not again]
