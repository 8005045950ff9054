"""The options that a text names, held against those that there are."""

from __future__ import annotations

import re

from acceptance.settings.offered import GROUPS, OPTIONS

_ALONE = {each.words[0] for each in OPTIONS if not each.group}
_IN_GROUPS = {f"{each.words[0]} {part}" for each in GROUPS for part in (*each.parts, "PART")}
_NAMED = re.compile(
    rf"(?:{'|'.join(each.words[0] for each in GROUPS)})(?![-a-z])\s[-a-zA-Z]+|--storage-[a-z]+(?:-[a-z]+)*"
)
_VARIABLES = {each.variables[0] for each in OPTIONS if not each.group} | {each.variables[0] for each in GROUPS}


def unknown_options(text: str) -> set[str]:
    """What it names that is no option of today: old names, and parts that a group has not."""
    return {" ".join(each.split()) for each in _NAMED.findall(text)} - _ALONE - _IN_GROUPS


def unknown_variables(text: str) -> set[str]:
    """The same of the names that options have in the environment."""
    return set(re.findall(r"\bSTORAGE_[A-Z_]+\b", text)) - _VARIABLES
