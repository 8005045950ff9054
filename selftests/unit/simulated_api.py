"""An API server in memory, as far as drivers use one: objects by kind, merge patches, status as a part of its own."""

from __future__ import annotations

import copy
import threading
from typing import Any

from acceptance.cluster.api import whole
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.resources import Object, Resource


class SimulatedApi:
    """Stands for `Api`. `served` are the versions of each group; `changed` what was asked to be changed, in order."""

    def __init__(self, served: dict[str, list[str]], *, forbidden: tuple[str, ...] = ()) -> None:
        self._served = served
        self._forbidden = forbidden
        self._objects: dict[tuple[str, str], Object] = {}
        self._lock = threading.RLock()
        self.changed: list[str] = []

    def group_versions(self, group: str) -> list[str]:
        return self._served.get(group, [])

    def ask(self, resource: Resource, body: Object) -> Object:
        asked = body["spec"]["resourceAttributes"]
        return {"status": {"allowed": f"{asked['verb']} {asked['resource']}" not in self._forbidden}}

    def create(self, resource: Resource, body: Object, *, namespace: str | None = None) -> Object:
        with self._lock:
            self._objects[resource.plural + resource.group, body["metadata"]["name"]] = copy.deepcopy(body)
        return body

    def find(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object | None:
        with self._lock:
            return copy.deepcopy(self._objects.get((resource.plural + resource.group, name)))

    def get(self, resource: Resource, name: str, *, namespace: str | None = None) -> Object:
        found = self.find(resource, name)
        if found is None:
            raise ApiError(status=404, request=f"GET {name}", message="not found")
        return found

    def list(
        self, resource: Resource, *, namespace: str | None = None, labels: str = "", slim: Any = whole
    ) -> list[Object]:
        key, _, value = labels.partition("=")
        with self._lock:
            found = [each for (kind, _), each in self._objects.items() if kind == resource.plural + resource.group]
            return copy.deepcopy(
                [slim(each) for each in found if not key or (each["metadata"].get("labels") or {}).get(key) == value]
            )

    def patch(self, resource: Resource, name: str, body: Object, *, namespace: str | None = None) -> Object:
        name, _, status = name.partition("/")
        with self._lock:
            found = self.get(resource, name)
            merged: Object = _merge(found, body)
            self._objects[resource.plural + resource.group, name] = merged
            if not status:
                self.changed.append(f"{resource.plural} {name} {body}")
        return merged

    def delete(self, resource: Resource, name: str, *, namespace: str | None = None) -> None:
        with self._lock:
            self._objects.pop((resource.plural + resource.group, name), None)
            self.changed.append(f"delete {resource.plural} {name}")


def _merge(old: Any, new: Any) -> Any:
    """RFC 7396."""
    if not isinstance(new, dict):
        return new
    merged = dict(old) if isinstance(old, dict) else {}
    for key, value in new.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key), value)
    return merged
