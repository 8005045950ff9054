"""Documents of schema version 2, whose verdicts are in words; later versions have them as data."""

from __future__ import annotations

import re
from typing import Any

from acceptance.text.quantities import parse_quantity

_LIMIT = re.compile(r"(?P<side>at least|at most) (?P<amount>[\d.,]+ ?(% of one CPU|\S*))")
# The text that followed the figures in a sentence, as the suites of that version wrote it.
_FOLLOWS = re.compile(
    r"(outside the limit (of [^:;]+|\([^)]+\)): |on both sides of the limit (of [^:;]+|\([^)]+\)); )(?P<rest>.+)"
)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_LIMIT_RULES = ("at_least", "at_most", "not_better_than_baseline_by", "not_worse_than_baseline_by")
_OF_A_STEP = re.compile(r"(?P<name>per_volume)_at_(?P<pods>\d{1,9})")


def upgrade(document: dict[str, Any]) -> dict[str, Any]:
    """Return a parsed document of version 2 as one of version 3; return any other unchanged.

    Nothing is checked here: `Results` refuses a document that does not fit.
    """
    if document.get("schema_version") != 2 or not isinstance(document.get("verdicts"), list):
        return document
    return {**document, "schema_version": 3, "verdicts": [_upgrade_entry(verdict) for verdict in document["verdicts"]]}


def _upgrade_entry(verdict: Any) -> Any:
    if not isinstance(verdict, dict) or "requirement" in verdict or not {"rule", "profile", "metric"} <= verdict.keys():
        return verdict
    rule, at = _rule(verdict)
    requirement = {
        "rule": rule,
        "profile": verdict["profile"],
        "metric": verdict["metric"],
        "at": at,
        **_bound(verdict),
    }
    unchanged_fields = {key: value for key, value in verdict.items() if key not in ("rule", "profile", "metric")}
    return {**unchanged_fields, "requirement": requirement, "outcome": _outcome(verdict)}


def _outcome(verdict: dict[str, Any]) -> dict[str, Any]:
    reason = str(verdict.get("reason"))
    if reason == f"held on {verdict.get('storage_class')}":
        return {"code": "plain.held"}
    follows = _FOLLOWS.search(reason)
    return {"code": "plain.told", "facts": {"text": reason, **({"follows": follows["rest"]} if follows else {})}}


def _rule(verdict: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the name of the rule and its conditions: a step's number of volumes was part of the name.

    A verdict without a figure had a sentence as its rule; its id contains the name.
    """
    rule = verdict["rule"]
    if not isinstance(rule, str):
        return rule, {}
    if step := _OF_A_STEP.fullmatch(rule):
        return step["name"], {"pods": int(step["pods"])}
    parts = str(verdict.get("id")).split("/")
    return rule if _NAME.fullmatch(rule) or len(parts) < 3 else parts[2], {}


def _bound(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return the limit, parsed from its words; empty if it is not a number with a unit."""
    match, unit = _LIMIT.search(str(verdict.get("limit"))), verdict.get("unit")
    try:
        value = None if match is None or unit is None else parse_quantity(match["amount"], unit=unit)
    except (ValueError, KeyError, TypeError):
        value = None
    if match is None:
        return {}
    operator = match["side"].replace(" ", "_")
    if value is not None:
        return {"operator": operator, "bound": value, "unit": unit}
    # Only a figure that was compared with a limit has the limit's kind as its rule: that must be detectable if the
    # figures were removed.
    return {"operator": operator} if verdict["rule"] in _LIMIT_RULES else {}
