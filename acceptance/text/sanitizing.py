"""Sanitizing of all text that leaves the suite, to terminals, reports and logs: no credentials, and only plain text.

Text from clusters, pods and load generators may hold anything: characters that move a terminal's cursor, or lines that
a CI system takes for its own commands.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from acceptance.text.redaction import known_spellings, redact

# Control characters but for tab and newline, those that change the direction of what follows, other ends of lines, and
# halves of characters, which no file takes.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
# GitHub takes `::` at the beginning of a line for a command, Azure, older GitHub and TeamCity `##word[` anywhere.
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|##(?=\w*\[)", re.MULTILINE)


def sanitize(text: str) -> str:
    """Return the text for others: a word for each credential, `\\x1b` for an escape, no commands for a CI system."""
    return _sanitize(text, known_spellings())


@lru_cache(maxsize=8192)
def _sanitize(text: str, _spelling_count: int) -> str:
    """Return the sanitized text from a cache, because a run writes all results again after each test."""
    return printable(redact(text))


def printable(text: str) -> str:
    """Return the text without characters and lines that a terminal, a CI system or a file would interpret."""
    visible = _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
    return _COMMAND.sub(lambda match: f"{match[1]}: " if match[1] is not None else "# #", visible)


def on_one_line(text: str) -> str:
    """Return the text without line breaks, so that no part of it becomes a line of its own."""
    return " ".join(text.split())


def sanitize_values(value: Any) -> Any:
    """Return a JSON document with all its texts and keys sanitized."""
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, dict):
        return {sanitize(key): sanitize_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        # A series holds thousands of numbers.
        return value if value and isinstance(value[0], float) else [sanitize_values(item) for item in value]
    return value
