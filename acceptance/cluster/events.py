"""Events of the cluster about an object, newest last."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.resources import EVENTS, Object
from acceptance.text.sanitizing import on_one_line


@dataclass(frozen=True, kw_only=True)
class WarningEvent:
    """A warning about an object. `message`: as its controller wrote it; `times`: its count; `line`: fit to print."""

    message: str
    times: int
    line: str


def recent_events(api: Api, *, namespace: str, name: str, at_most: int = 5) -> list[str]:
    """Return the newest events about the object called `name`, one line each."""
    events = api.list(EVENTS, namespace=namespace, fields=f"involvedObject.name={name}")
    events.sort(key=_when)
    return [_line(event) for event in events[-at_most:]]


def last_warning(api: Api, *, namespace: str, name: str) -> str | None:
    """Return the newest warning about the object, or None."""
    warnings = api.list(EVENTS, namespace=namespace, fields=f"involvedObject.name={name},type=Warning")
    return _line(max(warnings, key=_when)) if warnings else None


def warnings_about(api: Api, *, namespace: str, name: str, reason: str) -> list[WarningEvent]:
    """Return all warnings about the object with that reason, newest last."""
    warnings = api.list(EVENTS, namespace=namespace, fields=f"involvedObject.name={name},type=Warning")
    return [
        WarningEvent(message=str(event.get("message") or ""), times=_times(event), line=_line(event))
        for event in sorted(warnings, key=_when)
        if event.get("reason") == reason
    ]


def _times(event: Object) -> int:
    return int((event.get("series") or {}).get("count") or event.get("count") or 1)


def _when(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or "")


def _line(event: Object) -> str:
    return on_one_line(f"{event.get('type')} {event.get('reason')}: {event.get('message', '')}")
