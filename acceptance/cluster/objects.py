"""The one way to name and label objects, so that a run finds all that is its own and nothing else."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import datetime
from typing import Any

RUN_LABEL = "storage-acceptance/run"
GROUP_LABEL = "storage-acceptance/group"
"""on PVCs of which a group snapshot is taken: its name, so that it selects these alone"""
MANAGER_LABEL = "app.kubernetes.io/managed-by"
MANAGER = "storage-acceptance"
NAMESPACE_PREFIX = "storage-acceptance-"
# Runs of earlier versions ended with six digits.
RUN_ID = re.compile(r"(\d{8}-\d{6})-[0-9a-f]{6}(?:[0-9a-f]{10})?")
NAME_LENGTH = 63
SET_NAME_LENGTH = 45
SHOWN = 20
"""how many are told by name of many; a scale run has thousands"""


def new_run_id(started: datetime) -> str:
    """An id that sorts by time and that no other run has, as `20261121-071502-4f3a9c0b1d2e7a65`."""
    return f"{started:%Y%m%d-%H%M%S}-{secrets.token_hex(8)}"


def began(run_id: str) -> str:
    """When the run began by its own clock, as its id says and Kubernetes writes it. Raises ValueError for no id."""
    found = RUN_ID.fullmatch(run_id)
    if found is None:
        raise ValueError(f"wanted the id of a run, found {run_id!r}")
    return f"{datetime.strptime(found[1], '%Y%m%d-%H%M%S'):%Y-%m-%dT%H:%M:%SZ}"


def run_namespace(run_id: str) -> str:
    """The namespace that holds everything of a run."""
    return NAMESPACE_PREFIX + run_id


def run_of(namespace: str) -> str | None:
    """The id of the run whose namespace it is; None for one that only begins like it, such as `...-reports`."""
    run_id = namespace.removeprefix(NAMESPACE_PREFIX)
    return run_id if namespace != run_id and RUN_ID.fullmatch(run_id) else None


def labels(run_id: str) -> dict[str, str]:
    """The labels that every object of a run carries."""
    return {RUN_LABEL: run_id, MANAGER_LABEL: MANAGER}


def object_name(*parts: str) -> str:
    """A legal object name (DNS label) of the parts; with a hash where they had to be changed, so that none collide."""
    wanted = "-".join(parts)
    name = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")
    if name == wanted and len(name) <= NAME_LENGTH:
        return name
    digest = hashlib.sha256(wanted.encode()).hexdigest()[:8]
    return f"{name[: NAME_LENGTH - 9].rstrip('-')}-{digest}".lstrip("-")


def set_name(*parts: str) -> str:
    """The same for a StatefulSet, whose pods carry its name and more, which their labels hold as well."""
    name = object_name(*parts)
    if len(name) <= SET_NAME_LENGTH:
        return name
    return f"{name[: SET_NAME_LENGTH - 9].rstrip('-')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def metadata(name: str, *, run_id: str, **more: Any) -> dict[str, Any]:
    """The metadata of an object of a run."""
    return {"name": name, "labels": labels(run_id), **more}


def name_of(item: dict[str, Any]) -> str:
    """The name of an object as the API server shows it."""
    return str(item["metadata"]["name"])


def only_name(item: dict[str, Any]) -> dict[str, Any]:
    """What is kept of an object that only its name is needed of."""
    return {"metadata": {"name": name_of(item)}}


def slim_metadata(item: dict[str, Any], *also: str) -> dict[str, Any]:
    """What a watch needs to tell objects and their versions apart, and what else is asked for, where it is there."""
    kept = ("name", "uid", "resourceVersion", *also)
    return {key: item["metadata"][key] for key in kept if key in item["metadata"]}


def same_run(existing: dict[str, Any], body: dict[str, Any]) -> bool:
    """Whether the object that is there is the one that was asked for, made by a request whose answer got lost."""
    ours = (body["metadata"].get("labels") or {}).get(RUN_LABEL)
    deleted = existing["metadata"].get("deletionTimestamp")
    return bool(ours) and not deleted and (existing["metadata"].get("labels") or {}).get(RUN_LABEL) == ours
