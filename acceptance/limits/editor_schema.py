"""A JSON schema of files of limits, for editors: built from the models, as people write their entries."""

from __future__ import annotations

import json
from typing import Any

from acceptance.limits.merging import FORMER_KEYS
from acceptance.limits.reasons import REASON, SOURCE
from acceptance.limits.schema import FileEntry
from acceptance.limits.values import METRIC

_SOURCE = {
    "description": "a key of `sources`, or several",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}


def editor_schema() -> str:
    """Return the schema as JSON.

    A reason may be missing, because it can be inherited; only reading the files shows if it exists.
    """
    schema: dict[str, Any] = FileEntry.model_json_schema()
    for definition in schema["$defs"].values():
        _as_written(definition)
    tier_keys = schema["$defs"]["TierEntry"]["properties"]
    for former, present in FORMER_KEYS.items():
        description = f"the former name of `{present}`, which is still read"
        tier_keys[former] = {**tier_keys[present], "description": description, "deprecated": True}
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **_without_null(schema)}
    whole["title"] = "Limits of a storage acceptance run"
    return json.dumps(whole, indent=2) + "\n"


def _as_written(entry: dict[str, Any]) -> None:
    """Change an entry to the form that people write: without the key of its metric, which the reader adds."""
    keys = entry.get("properties", {})
    keys.pop(METRIC, None)
    if REASON in keys:
        keys[SOURCE] = _SOURCE
    required_keys = [key for key in entry.get("required", ()) if key not in (METRIC, REASON)]
    entry.pop("required", None)
    if required_keys:
        entry["required"] = required_keys


def _without_null(node: Any) -> Any:
    """Return the schema without `null`, because users leave a key out instead."""
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    properties = {key: _without_null(value) for key, value in node.items() if not (key == "default" and value is None)}
    alternatives = [alternative for alternative in properties.get("anyOf", ()) if alternative != {"type": "null"}]
    if "anyOf" in properties and len(alternatives) == 1:
        return {key: value for key, value in properties.items() if key != "anyOf"} | alternatives[0]
    return properties
