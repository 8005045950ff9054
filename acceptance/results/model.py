"""The base of all records."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Unit = Literal["1/s", "B/s", "s", "cpu"]
"""Units of the values that a profile measures."""


class Frozen(BaseModel):
    """A record that cannot be changed after its creation and refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
