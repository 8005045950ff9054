"""What all records are made of."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Unit = Literal["1/s", "B/s", "s", "cpu"]
"""of what a profile shows"""


class Frozen(BaseModel):
    """A record that is never changed once made and refuses fields that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
