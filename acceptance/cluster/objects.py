"""Names and labels of objects, by which a run finds all that is its own and nothing else."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import datetime
from typing import Any

RUN_LABEL = "storage-acceptance/run"
GROUP_LABEL = "storage-acceptance/group"
"""A label of PVCs of which a group snapshot is taken: its name, so that it selects these alone."""
MANAGER_LABEL = "app.kubernetes.io/managed-by"
MANAGER = "storage-acceptance"
NAMESPACE_PREFIX = "storage-acceptance-"
# Runs of earlier versions ended with six digits.
RUN_ID = re.compile(r"(\d{8}-\d{6})-[0-9a-f]{6}(?:[0-9a-f]{10})?")
NAME_LENGTH = 63
SET_NAME_LENGTH = 45
MAX_NAMES = 20
"""Names in a message at most; a scale run has thousands of objects."""


def new_run_id(start: datetime) -> str:
    """Return an id that sorts by time and that no other run has, as `20261121-071502-4f3a9c0b1d2e7a65`."""
    return f"{start:%Y%m%d-%H%M%S}-{secrets.token_hex(8)}"


def began(run_id: str) -> str:
    """Return when the run began by its own clock, as its id says, in Kubernetes format. Raises ValueError for no id."""
    match = RUN_ID.fullmatch(run_id)
    if match is None:
        raise ValueError(f"expected the id of a run, found {run_id!r}")
    return f"{datetime.strptime(match[1], '%Y%m%d-%H%M%S'):%Y-%m-%dT%H:%M:%SZ}"


def run_namespace(run_id: str) -> str:
    """Return the namespace that holds everything of a run."""
    return NAMESPACE_PREFIX + run_id


def run_of(namespace: str) -> str | None:
    """Return the id of the run whose namespace it is; None for one that only begins like it, such as `...-reports`."""
    run_id = namespace.removeprefix(NAMESPACE_PREFIX)
    return run_id if namespace != run_id and RUN_ID.fullmatch(run_id) else None


def labels(run_id: str) -> dict[str, str]:
    """Return the labels that every object of a run carries."""
    return {RUN_LABEL: run_id, MANAGER_LABEL: MANAGER}


def object_name(*parts: str) -> str:
    """Return a legal object name (DNS label) of the parts; with a hash if they were changed, so that none collide."""
    text = "-".join(parts)
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if name == text and len(name) <= NAME_LENGTH:
        return name
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{name[: NAME_LENGTH - 9].rstrip('-')}-{digest}".lstrip("-")


def set_name(*parts: str) -> str:
    """Return a legal name of a StatefulSet; its pods, and their labels, carry the name and a suffix."""
    name = object_name(*parts)
    if len(name) <= SET_NAME_LENGTH:
        return name
    return f"{name[: SET_NAME_LENGTH - 9].rstrip('-')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def metadata(name: str, *, run_id: str, **more: Any) -> dict[str, Any]:
    """Return the metadata of an object of a run."""
    return {"name": name, "labels": labels(run_id), **more}


def name_of(item: dict[str, Any]) -> str:
    """Return the name of an object from the API server."""
    return str(item["metadata"]["name"])


def only_name(item: dict[str, Any]) -> dict[str, Any]:
    """Return an object's name alone, in the form of an object."""
    return {"metadata": {"name": name_of(item)}}


def slim_metadata(item: dict[str, Any], *also: str) -> dict[str, Any]:
    """Return the metadata that identify an object and its version, and the keys `also`, if they exist."""
    keys = ("name", "uid", "resourceVersion", *also)
    return {key: item["metadata"][key] for key in keys if key in item["metadata"]}


def same_run(existing: dict[str, Any], body: dict[str, Any]) -> bool:
    """Return whether the existing object is the requested one, created by a request whose answer was lost."""
    run_id = (body["metadata"].get("labels") or {}).get(RUN_LABEL)
    deletion_time = existing["metadata"].get("deletionTimestamp")
    return bool(run_id) and not deletion_time and (existing["metadata"].get("labels") or {}).get(RUN_LABEL) == run_id
