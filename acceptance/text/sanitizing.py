"""Text on its way out of the suite, to terminals, reports and logs: no credentials, and nothing but text.

What is shown comes from clusters, pods and load generators, which may hold anything: characters that move a terminal's
cursor, or lines that a CI system takes for its own commands.
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
    """The text as others may see it: a word for each credential, `\\x1b` for an escape, no commands for a CI system."""
    return _sanitized(text, known_spellings())


@lru_cache(maxsize=8192)
def _sanitized(text: str, _known: int) -> str:
    """A run writes all that it found after each test, most of it for the second time and more."""
    return printable(redact(text))


def printable(text: str) -> str:
    """The text with nothing in it that a terminal, a CI system or a file would take for more than text."""
    visible = _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
    return _COMMAND.sub(lambda found: f"{found[1]}: " if found[1] is not None else "# #", visible)


def on_one_line(text: str) -> str:
    """The text without ends of lines, for what would be taken for a line of its own."""
    return " ".join(text.split())


def sanitize_values(value: Any) -> Any:
    """The same for all texts of a document as JSON has it; its keys too."""
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, dict):
        return {sanitize(key): sanitize_values(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        # A series holds thousands of numbers.
        return value if value and isinstance(value[0], float) else [sanitize_values(each) for each in value]
    return value
