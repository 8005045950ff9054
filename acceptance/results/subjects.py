"""What a run can be about: the chapters of its report."""

from __future__ import annotations

from typing import Literal

Subject = Literal[
    "speed",
    "many-volumes",
    "control-plane",
    "rebuild",
    "durability",
    "provisioning",
    "features",
    "history",
    "sustained",
    "under-load",
    "workloads",
    "many-files",
    "imported",
    "price",
    "further-tests",
]
"""What a test asks about; `speed`: how fast one volume is."""
