"""The digest by which histories and comparisons recognize a load, whatever the comments in a shipped profile."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

NAME = "load_digests.txt"
"""The file next to this one: for each shipped profile the digest of its options, and that of its first text."""


def load_digest(text: str) -> str:
    """Return the SHA-256 of a profile's text; of its first text if a shipped profile has the same options.

    Histories of earlier versions contain the digest of the first text, so a shipped profile whose comments change
    stays in its series.
    """
    return first_digests().get(options_digest(text)) or sha256(text.encode()).hexdigest()


def options_digest(text: str) -> str:
    """Return the SHA-256 of the lines of a profile's text that are neither empty nor comments."""
    lines = (line.strip() for line in text.splitlines())
    options = "".join(f"{line}\n" for line in lines if line and not line.startswith(("#", ";")))
    return sha256(options.encode()).hexdigest()


@cache
def first_digests() -> dict[str, str]:
    """Return the digests of the first texts of the shipped profiles by the digests of their options."""
    text = files("acceptance.results").joinpath(NAME).read_text(encoding="ascii")
    return {options: first for options, first, _ in (line.split() for line in text.splitlines())}
