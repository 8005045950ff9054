"""A JSON schema of files of limits, for editors: made of the models, and of what is put together before they see it."""

from __future__ import annotations

import json
from typing import Any

from acceptance.limits.reasons import REASON, SOURCE
from acceptance.limits.schema import FileEntry
from acceptance.limits.values import METRIC

NAME = "limits.schema.json"
"""The file beside this one that holds it."""
_SOURCE = {
    "description": "a key of `sources`, or several",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}


def editor_schema() -> str:
    """The schema, as the file has it.

    A reason may be missing, for it can be inherited; whether it is there all the same only reading the files tells.
    """
    schema: dict[str, Any] = FileEntry.model_json_schema()
    for each in schema["$defs"].values():
        _as_written(each)
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **_without_null(schema)}
    whole["title"] = "Limits of a storage acceptance run"
    return json.dumps(whole, indent=2) + "\n"


def _as_written(entry: dict[str, Any]) -> None:
    """As people write the entry: what it is told of its place is no key of it."""
    keys = entry.get("properties", {})
    keys.pop(METRIC, None)
    if REASON in keys:
        keys[SOURCE] = _SOURCE
    required = [each for each in entry.get("required", ()) if each not in (METRIC, REASON)]
    entry.pop("required", None)
    if required:
        entry["required"] = required


def _without_null(node: Any) -> Any:
    """Nobody writes `null` for what is left out."""
    if isinstance(node, list):
        return [_without_null(each) for each in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _without_null(each) for key, each in node.items() if not (key == "default" and each is None)}
    some = [each for each in kept.get("anyOf", ()) if each != {"type": "null"}]
    if "anyOf" in kept and len(some) == 1:
        return {key: each for key, each in kept.items() if key != "anyOf"} | some[0]
    return kept
