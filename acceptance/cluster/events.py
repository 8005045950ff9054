"""What the cluster says about an object: its events, newest last."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.resources import EVENTS, Object
from acceptance.text.sanitizing import on_one_line


def recent_events(api: Api, *, namespace: str, name: str, at_most: int = 5) -> list[str]:
    """The newest events about the object called `name`, one line each."""
    found = api.list(EVENTS, namespace=namespace, fields=f"involvedObject.name={name}")
    found.sort(key=_when)
    return [_line(event) for event in found[-at_most:]]


def last_warning(api: Api, *, namespace: str, name: str) -> str | None:
    """The newest warning about the object, or None."""
    found = api.list(EVENTS, namespace=namespace, fields=f"involvedObject.name={name},type=Warning")
    return _line(max(found, key=_when)) if found else None


def _when(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or "")


def _line(event: Object) -> str:
    return on_one_line(f"{event.get('type')} {event.get('reason')}: {event.get('message', '')}")
