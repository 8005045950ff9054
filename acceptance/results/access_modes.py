"""The access mode of all volumes of a run; results of older suites name none, and had the default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

RunAccessMode = Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"]
"""An access mode in which a volume can be written; ReadOnlyMany cannot be that of a run."""
DEFAULT_MODE: Final = "ReadWriteOnce"


def access_mode_in(settings: Mapping[str, object]) -> str:
    """Return the access mode from the settings of results."""
    return str(settings.get("access_mode") or DEFAULT_MODE)
