"""The subjects of a run, with the titles of their chapters in the report, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import WithJsonSchema

SUBJECTS: Mapping[str, str] = {
    "speed": "Speed of one volume",
    "many-volumes": "Many volumes at the same time",
    "control-plane": "Control plane",
    "rebuild": "Rebuild of a lost replica",
    "durability": "Durability, integrity and failover",
    "provisioning": "Provisioning",
    "features": "Capabilities of volumes",
    "history": "Compared with earlier runs",
    "sustained": "Sustained speed",
    "under-load": "Latency under load",
    "workloads": "Fit for named workloads",
    "many-files": "Many files",
    "imported": "Results of other tools",
    "price": "Resource overhead of the storage",
    "further-tests": "Further tests",
}
"""The titles by subject; `speed`, the speed of one volume, has a chapter for each kind of profile."""
if TYPE_CHECKING:
    Subject = str
else:
    # Files with another subject are refused; the schema of results.json does not repeat the list.
    Subject = Annotated[Literal[tuple(SUBJECTS)], WithJsonSchema({"type": "string"})]
