"""The declaration file: what who runs the suite says of product, hardware and preconditions, for the report."""

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
"""it stands in the results, and in each page that is made of them"""
# What a file of the kind begins with. No SVG: it may hold scripts, and refer to what is elsewhere.
_PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


def _text(value: object) -> str:
    """A version such as 1.10 is a number to YAML, and another one than was written."""
    if not isinstance(value, str):
        raise ValueError(f"wanted text, found {value!r}; put it in quotes")
    if not value.strip():
        raise ValueError("wanted text, found nothing; say it, or remove the key")
    return value.strip()


Text = Annotated[str, BeforeValidator(_text)]


class DeclarationFile(Frozen):
    """The file's keys; `logo` is a path from where the file is."""

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
    """What the file declares. Raises WrongUsage with all that is wrong, each with its line."""
    wanted = f"{OPTION}: wanted a readable declaration file"
    found = read_strict(path, DeclarationFile, wanted=wanted)
    logo = None if found.logo is None else _picture(path.parent / found.logo)
    return Declaration(**found.model_dump(exclude={"logo"}), logo=logo)


def _picture(path: Path) -> str:
    """The picture as a data URI. Raises WrongUsage where it is none, or too large."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WrongUsage(f"{OPTION}: wanted a readable logo, found: {error}") from error
    if len(content) > LARGEST_LOGO_B:
        raise WrongUsage(
            f"{OPTION}: wanted a logo of at most {LARGEST_LOGO_B // 1024} KiB, found {len(content)} bytes in {path}; "
            "make it smaller"
        )
    kind = next((name for magic, name in _PICTURES.items() if content.startswith(magic)), None)
    if kind is None:
        raise WrongUsage(f"{OPTION}: wanted a logo as PNG or JPEG, found another file: {path}; convert it")
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
