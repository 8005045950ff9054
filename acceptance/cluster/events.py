"""What the cluster says about an object: its events, newest last."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.resources import EVENTS, Object
from acceptance.text.sanitizing import on_one_line


@dataclass(frozen=True, kw_only=True)
class Warned:
    """A warning about an object. `message`: as its controller wrote it; `times`: how often; `line`: fit to be shown."""

    message: str
    times: int
    line: str


def recent_events(api: Api, *, namespace: str, name: str, at_most: int = 5) -> list[str]:
    """The newest events about the object called `name`, one line each."""
    found = api.list(EVENTS, namespace=namespace, fields=f"involvedObject.name={name}")
    found.sort(key=_when)
    return [_line(event) for event in found[-at_most:]]


def last_warning(api: Api, *, namespace: str, name: str) -> str | None:
    """The newest warning about the object, or None."""
    found = api.list(EVENTS, namespace=namespace, fields=f"involvedObject.name={name},type=Warning")
    return _line(max(found, key=_when)) if found else None


def warnings_about(api: Api, *, namespace: str, name: str, reason: str) -> list[Warned]:
    """All warnings about the object with that reason, newest last."""
    found = api.list(EVENTS, namespace=namespace, fields=f"involvedObject.name={name},type=Warning")
    return [
        Warned(message=str(event.get("message") or ""), times=_times(event), line=_line(event))
        for event in sorted(found, key=_when)
        if event.get("reason") == reason
    ]


def _times(event: Object) -> int:
    return int((event.get("series") or {}).get("count") or event.get("count") or 1)


def _when(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or "")


def _line(event: Object) -> str:
    return on_one_line(f"{event.get('type')} {event.get('reason')}: {event.get('message', '')}")
