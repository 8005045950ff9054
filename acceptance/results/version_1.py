"""Documents of schema version 1: conversion of their fields to names of version 2, and subjects of verdicts."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.subjects import Subject

# The place of a field (a list stands for each of its items), with its old and new names.
_NEW_NAMES: tuple[tuple[tuple[str, ...], dict[str, str]], ...] = (
    ((), {"asked": "tier_limits", "known": "known_storage"}),
    (("pools",), {"said": "description"}),
    (("control_plane",), {"late": "observed_late"}),
    (("control_plane", "growth"), {"asked": "requested"}),
    (
        ("control_plane", "ramp_down"),
        {"told_s": "scale_down_s", "behind_s": "cleanup_s", "waited_s": "timeout_s", "left": "remaining"},
    ),
    (("rebuilds",), {"foreground_lost": "foreground_missing"}),
    (("rebuilds", "rebuilds"), {"exact_to_s": "uncertainty_s"}),
    (
        ("scaling", "nodes"),
        {
            "few": "on_fewer_nodes",
            "many": "on_more_nodes",
            "few_nodes": "fewer_nodes",
            "many_nodes": "more_nodes",
        },
    ),
)

_BY_FILE: dict[str, Subject] = {
    "test_volume_scaling": "many-volumes",
    "test_control_plane_scale": "control-plane",
    "test_replica_rebuild": "rebuild",
    "test_durability": "durability",
    "test_data_integrity": "durability",
    "test_failover": "durability",
    "test_provisioning": "provisioning",
    "test_volume_features": "features",
    "test_regression": "history",
}
# The last part of an id; for a limit on one step, the number of volumes followed it.
_OF_MANY_VOLUMES = ("total-at-last-step", "per-volume", "latency-growth", "rate-limited", "node-scaling", "scaling")


def upgrade(document: dict[str, Any]) -> dict[str, Any]:
    """Return a parsed document of version 1 as one of version 2; return any other unchanged.

    Nothing is checked here: `Results` refuses a document that does not fit.
    """
    if document.get("schema_version") != 1:
        return document
    for path, names in _NEW_NAMES:
        document = _rename_fields(document, path, names)
    return {**document, "schema_version": 2}


def _rename_fields(value: Any, path: tuple[str, ...], names: dict[str, str]) -> Any:
    """Return `value` with new names of the fields at the end of `path`; the order of fields stays."""
    if isinstance(value, list):
        return [_rename_fields(item, path, names) for item in value]
    if not isinstance(value, dict):
        return value
    if not path:
        return {names.get(key, key): field for key, field in value.items()}
    return {key: _rename_fields(field, path[1:], names) if key == path[0] else field for key, field in value.items()}


def with_subject(verdict: Verdict) -> Verdict:
    """Return the verdict with its subject: its own, or the subject that it had in older suites."""
    return verdict if verdict.subject else verdict.model_copy(update={"subject": _subject(verdict)})


def _subject(verdict: Verdict) -> Subject:
    file = PurePosixPath(verdict.test.partition("::")[0]).stem
    if file in _BY_FILE:
        return _BY_FILE[file]
    if verdict.id.rpartition("/")[2].startswith(_OF_MANY_VOLUMES):
        return "many-volumes"
    return "further-tests" if verdict.profile is None else "speed"
