"""The declaration file: the user's statements on product, hardware and preconditions, for the report."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from acceptance.results.declaration import Declaration
from acceptance.results.model import Frozen
from acceptance.settings.strict_file import read_strict
from acceptance.text.errors import WrongUsage

OPTION = "--storage-declaration"
LARGEST_LOGO_B = 128 * 1024
"""The logo is part of the results, and of each page that is rendered from them."""
# The first bytes of each kind of file. No SVG, because it may contain scripts and references to other files.
_PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


def _text(value: object) -> str:
    """Return stripped text. Raises ValueError if it is not text: to YAML, a version such as 1.10 is the number 1.1."""
    if not isinstance(value, str):
        raise ValueError(f"expected text, found {value!r}; put it in quotes")
    if not value.strip():
        raise ValueError("expected text, found nothing; add text, or remove the key")
    return value.strip()


Text = Annotated[str, BeforeValidator(_text)]


class DeclarationFile(Frozen):
    """The keys of the file; `logo` is a path relative to the file."""

    product: Text
    version: Text
    vendor: Text | None = None
    run_by: Text
    contact: Text | None = None
    hardware: tuple[Text, ...] = ()
    settings: tuple[Text, ...] = ()
    preconditions: tuple[Text, ...] = ()
    remarks: tuple[Text, ...] = ()
    logo: Text | None = None


def read_declaration(path: Path) -> Declaration:
    """Return the content of the file. Raises WrongUsage with all problems, each with its line."""
    expectation = f"{OPTION}: expected a readable declaration file"
    content = read_strict(path, DeclarationFile, expectation=expectation)
    logo = None if content.logo is None else _picture(path.parent / content.logo)
    return Declaration(**content.model_dump(exclude={"logo"}), logo=logo)


def _picture(path: Path) -> str:
    """Return the picture as a data URI. Raises WrongUsage if it is no picture, or too large."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WrongUsage(f"{OPTION}: expected a readable logo, found: {error}") from error
    if len(content) > LARGEST_LOGO_B:
        raise WrongUsage(
            f"{OPTION}: expected a logo of at most {LARGEST_LOGO_B // 1024} KiB, found {len(content)} bytes in {path}; "
            "make it smaller"
        )
    kind = next((name for magic, name in _PICTURES.items() if content.startswith(magic)), None)
    if kind is None:
        raise WrongUsage(f"{OPTION}: expected a logo as PNG or JPEG, found another file: {path}; convert it")
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
