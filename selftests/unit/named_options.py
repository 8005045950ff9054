"""The options that a text names, held against those that there are."""

from __future__ import annotations

import re

from acceptance.settings.offered import GROUPS, OPTIONS

_ALONE = {option.words[0] for option in OPTIONS if not option.group}
_IN_GROUPS = {f"{group.words[0]} {part}" for group in GROUPS for part in (*group.parts, "PART")}
_NAMED = re.compile(
    rf"(?:{'|'.join(group.words[0] for group in GROUPS)})(?![-a-z])\s[-a-zA-Z]+|--storage-[a-z]+(?:-[a-z]+)*"
)
_VARIABLES = {option.variables[0] for option in OPTIONS if not option.group} | {group.variables[0] for group in GROUPS}


def unknown_options(text: str) -> set[str]:
    """What it names that is no option of today: old names, and parts that a group has not."""
    return {" ".join(each.split()) for each in _NAMED.findall(text)} - _ALONE - _IN_GROUPS


def unknown_variables(text: str) -> set[str]:
    """The same of the names that options have in the environment."""
    return set(re.findall(r"\bSTORAGE_[A-Z_]+\b", text)) - _VARIABLES
