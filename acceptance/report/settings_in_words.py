"""The settings of a run for readers: those that are set and apply, each with its option and its value in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from acceptance.settings.made_cluster import MAKERS
from acceptance.settings.offered import BY_KEY, IN_THE_CLUSTER, OPTIONS
from acceptance.settings.offered_trials import DURABILITY, RAMP, REBUILD, SCALE
from acceptance.settings.option import Group
from acceptance.text.quantities import format_quantity, format_size

_ON_A_CLUSTER = {
    option.key
    for entry in (*IN_THE_CLUSTER, SCALE, RAMP, REBUILD, DURABILITY, BY_KEY["timeout"])
    for option in (entry.options if isinstance(entry, Group) else (entry,))
} - {"test_size"}
"""Names of settings that do not apply to directories of a host."""
_LABEL = "KEY=VALUE"
_DESTRUCTIVE = (RAMP.name, REBUILD.name)
"""The groups of options for destructive tests only."""


@dataclass(frozen=True, kw_only=True)
class SettingRow:
    """A setting. `name`: as in results.json; `option`: such as `--storage-rebuild timeout`, empty if unknown."""

    name: str
    option: str
    value: str


def setting_rows(settings: Mapping[str, JsonValue]) -> list[SettingRow]:
    """Return the settings that are set and apply, in the order of the results."""
    rows: list[SettingRow] = []
    for name, value in settings.items():
        option = BY_KEY.get(name)
        text = _in_words(value, metavar="" if option is None else option.metavar)
        if text and _applies(name, settings):
            rows.append(SettingRow(name=name, option="" if option is None else option.spelling, value=text))
    return rows


def _applies(name: str, settings: Mapping[str, JsonValue]) -> bool:
    """Return whether the setting can have an effect next to the others."""
    option = BY_KEY.get(name)
    if option is None:
        return True
    if settings.get("cluster") == "host" and name in _ON_A_CLUSTER:
        return False
    if name == "cluster_set":
        return settings.get("cluster") in MAKERS
    if name == "imported_failures":
        return bool(settings.get("imports"))
    if option.group in _DESTRUCTIVE:
        return bool(settings.get("destructive"))
    flags = [flag for flag in OPTIONS if flag.kind == "flag" and (flag.group, flag.part) == (option.group, option.part)]
    return not option.group or all(settings.get(flag.key) for flag in flags)


def _in_words(value: JsonValue, *, metavar: str) -> str:
    """Return the value nearly as a user writes it, such as `version=1.34.0, nodes=3`; empty if it is not set."""
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, dict):
        return ", ".join(_pair(key, part) for key, part in value.items() if _in_words(part, metavar=key.upper()))
    if isinstance(value, list):
        return ("=" if metavar == _LABEL else ", ").join(_in_words(part, metavar=metavar) for part in value)
    return value if isinstance(value, str) else _amount(value, metavar=metavar)


def _pair(key: str, value: JsonValue) -> str:
    text = _in_words(value, metavar=key.upper())
    return f"{key}={{{text}}}" if isinstance(value, dict) else f"{key}={text}"


def _amount(value: float, *, metavar: str) -> str:
    """Return a number in the unit of its option; empty for 0, which requests nothing, unless it is a share."""
    if metavar == "PERCENT":
        return f"{value * 100:.4g} %"
    if not value:
        return ""
    if metavar == "SIZE":
        return format_size(int(value))
    if metavar == "TIME":
        return format_quantity(value, unit="s")
    if metavar == "RATE":
        return f"{value * 60:.4g}/min"
    return f"{value:g}" if isinstance(value, float) else f"{value}"
