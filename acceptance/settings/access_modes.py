"""The access mode of all volumes of a run, with the short names that users know."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import BeforeValidator

from acceptance.results.access_modes import RunAccessMode

SHORT_NAMES: dict[str, RunAccessMode] = {"rwo": "ReadWriteOnce", "rwx": "ReadWriteMany", "rwop": "ReadWriteOncePod"}


def access_mode(value: Any) -> str:
    """Return the access mode by its own or its short name, in upper or lower case. Raises ValueError for any other."""
    modes: dict[str, str] = {mode.lower(): mode for mode in get_args(RunAccessMode)} | SHORT_NAMES
    if (mode := modes.get(str(value).lower())) is None:
        raise ValueError(f"expected one of {', '.join((*get_args(RunAccessMode), *SHORT_NAMES))}, found {value!r}")
    return mode


WrittenAccessMode = Annotated[RunAccessMode, BeforeValidator(access_mode)]
